/*
 * The files of report/page/, embedded when the library is built, so that a report and the dashboard need
 * nothing from elsewhere. D3 (https://d3js.org, ISC licence) comes from the system's package.
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

struct report_page_file {
    const unsigned char *bytes;
    unsigned long size;
};
extern const struct report_page_file report_page_html;
extern const struct report_page_file report_page_css;
extern const struct report_page_file report_page_common;
extern const struct report_page_file report_page_js;
extern const struct report_page_file report_page_d3;

#endif
