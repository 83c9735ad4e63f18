/*
 * The classes of the tests of dependency kinds. A probe reads what its properties name, one
 * instruction a line, and saves what it read: no input can change without a trace in the bytes.
 *
 * The macros below make the variants that a test switches to; see ../CMakeLists.txt.
 */
#ifndef KINDS_H
#define KINDS_H

#include <cook/cook.h>

#ifndef CUSTOM_VERSION
#define CUSTOM_VERSION 1u
#endif
#ifndef MADE_VERSION
#define MADE_VERSION 1u
#endif

#define PROBE_CLASS "/Script/Kinds.Probe"

struct kinds_probe {
    struct cook_object object;
    struct cook_array load;  /* struct cook_string: instructions for post_load */
    struct cook_array save;  /* the same for pre_save */
    struct cook_array event; /* the same for on_cook_event: declarations */
    struct cook_array editor; /* the same when an editor saves */
    struct cook_array links; /* struct cook_ref */
    struct cook_array softs; /* struct cook_soft_ref */
    struct cook_string loaded;
    struct cook_string saved;
};

/* Arguments of the function KindsSum. */
struct kinds_arguments {
    struct cook_string path;
    int32_t factor;
    struct cook_array tags; /* struct cook_string */
};

/* Follow the instructions; what they read is text in package memory. */
enum cook_status kinds_follow(struct cook_context *context, const struct cook_array *instructions,
                              struct cook_string *out);

void kinds_register_functions(struct cook_registrar *registrar);
void kinds_register_schemas(struct cook_registrar *registrar);

#endif
