/* The class of cook rules in content; registered with the core's own classes. */
#ifndef COOK_OBJECT_LABEL_H
#define COOK_OBJECT_LABEL_H

#include <cook/plugin.h>

void cook_label_register(struct cook_registrar *types);

#endif
