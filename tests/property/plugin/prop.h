/*
 * The classes of the property test of incremental cooking. Each reads the world in one way, and
 * writes what it read into its bytes, so that no input can change without a trace. What each
 * class reads is modelled by ../model.py: change both together.
 *
 * The versions below are set on the command line; see ../CMakeLists.txt for the variants. A
 * MUTANT_… plants a fault that the test must find.
 */
#ifndef PROP_H
#define PROP_H

#include <cook/cook.h>

#ifndef NODE_VERSION
#define NODE_VERSION 1u
#endif
#ifndef CHAIN_VERSION
#define CHAIN_VERSION 1u
#endif
#ifndef SAVER_VERSION
#define SAVER_VERSION 1u
#endif
#ifndef PART_VERSION
#define PART_VERSION 1u
#endif
#ifndef READER_VERSION
#define READER_VERSION 1u
#endif
#ifndef WORDS_VERSION
#define WORDS_VERSION 1u
#endif

#define NODE_CLASS "/Script/Prop.Node"

/* Node: the parent of all. Links and Softs are saved, Editor is not. */
struct prop_node {
    struct cook_object object;
    int32_t value;
    struct cook_string text;
    struct cook_array links;  /* struct cook_ref */
    struct cook_array softs;  /* struct cook_soft_ref */
    struct cook_array editor; /* struct cook_ref, editor-only */
    struct cook_string fail;  /* "load" or "save": fail there */
    uint64_t derived;         /* after post_load: what a dereferencer sees */
    uint64_t saved;           /* after pre_save */
};

/* Holder's embedded struct, and the arguments of the function PropLook. */
struct prop_part {
    int32_t weight;
};

/* Mix `item` into `sum`; the order of items matters. */
uint64_t prop_mix(uint64_t sum, uint64_t item);
uint64_t prop_hash(const void *bytes, size_t size);

/*
 * Dereference each reference and mix what the targets are worth: `raw`, their loaded value,
 * which is known also inside a cycle of loads; else what their own post_load made of it.
 */
uint64_t prop_sum(struct cook_context *context, const struct cook_array *references, bool raw);

void prop_register_nodes(struct cook_registrar *registrar); /* before all others */
void prop_register_links(struct cook_registrar *registrar);
void prop_register_reads(struct cook_registrar *registrar);
void prop_register_scout(struct cook_registrar *registrar);
void prop_register_note(struct cook_registrar *registrar);
void prop_register_saves(struct cook_registrar *registrar);
void prop_register_words(struct cook_registrar *registrar);
void prop_register_stray(struct cook_registrar *registrar); /* a module of its own */

#endif
