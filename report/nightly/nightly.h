/*
 * cook nightly: an incremental cook, its validation, the report and the gate, one after the other, each by its
 * own verb, as a person would type them. What is done is written down, so that a night that was cut short goes
 * on where it stopped; and where a validation ran out of time, the next night goes on behind it.
 */
#ifndef REPORT_NIGHTLY_NIGHTLY_H
#define REPORT_NIGHTLY_NIGHTLY_H

int nightly_verb(int argc, const char **argv);

#endif
