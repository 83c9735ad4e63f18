/*
 * Struct values as bytes and back, by their property tables: how the arguments of function
 * dependencies are kept. Not the cooked format: nothing here is aligned, named or versioned, and
 * equal values give equal bytes.
 */
#ifndef COOK_OBJECT_MARSHAL_H
#define COOK_OBJECT_MARSHAL_H

#include "cook/base/buf.h"
#include "cook/object/types.h"

void cook_marshal(const struct cook_registrar *types, const struct cook_property *properties,
                  const void *value, struct cook_buf *out);
/* Read untrusted bytes into a constructed value; texts and elements live in `arena`. False when they
 * do not fit the properties. */
bool cook_unmarshal(const struct cook_registrar *types, const struct cook_property *properties,
                    void *value, struct cook_reader_buf *in, struct cook_arena *arena);

#endif
