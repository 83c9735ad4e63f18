/*
 * The cooked package format, version 1. Little-endian, no padding but where stated.
 *
 *     header     magic "CKPK", u32 version, u32 flags, u64 total size, u64 offsets of names,
 *                imports, soft, exports, data, bulk; u32 counts of names, imports, soft, exports
 *     names      per name: u32 size + UTF-8 bytes; sorted by bytes, unique
 *     imports    per hard reference to another package: u32 name index of the package,
 *                u32 size + inner path, u32 name index of the class; sorted by package, inner path
 *     soft       per soft reference: u32 size + full path; sorted, unique
 *     exports    per object, in source order: u32 name index of its name, u32 name index of its
 *                class, i32 outer (export index + 1, 0 none), u32 flags, u64 offset, u64 size
 *     data       the exports' bytes, one after another
 *     bulk       payloads, each 16-byte aligned; an export's inline bytes hold offset (from the
 *                start of the package) and size
 *
 * Object references in export data: i32, see COOK_TOKEN_REF.
 */
#ifndef COOK_ARCHIVE_COOKED_H
#define COOK_ARCHIVE_COOKED_H

#include "cook/base/buf.h"
#include "cook/base/error.h"

#define COOK_COOKED_MAGIC 0x4b504b43u /* "CKPK" */
#define COOK_COOKED_VERSION 1u

struct cook_cooked_import {
    const char *package;
    const char *inner;
    const char *class_name;
};
struct cook_cooked_export {
    const char *name;
    const char *class_name;
    int32_t outer;
    uint32_t flags;
    uint64_t offset;
    uint64_t size_bytes;
};
/* A parsed package; texts in the arena, `bytes` borrowed. */
struct cook_cooked {
    const uint8_t *bytes;
    size_t size;
    const char **names;
    uint32_t name_count;
    struct cook_cooked_import *imports;
    uint32_t import_count;
    const char **soft;
    uint32_t soft_count;
    struct cook_cooked_export *exports;
    uint32_t export_count;
    uint64_t names_offset; /* each section ends where the next begins; bulk at `size` */
    uint64_t imports_offset;
    uint64_t soft_offset;
    uint64_t exports_offset;
    uint64_t data_offset;
    uint64_t bulk_offset;
};

/* Parse untrusted bytes. COOK_E_MALFORMED with the offset of the fault, COOK_E_NO_MEMORY. */
enum cook_status cook_cooked_parse(struct cook_cooked *cooked, const void *bytes, size_t size,
                                   struct cook_arena *arena,
                                   struct cook_error *error) COOK_CHECK_RESULT;
/* The same for comparing: names and soft references may stand in any order, which no cook writes. */
enum cook_status cook_cooked_parse_any_order(struct cook_cooked *cooked, const void *bytes,
                                             size_t size, struct cook_arena *arena,
                                             struct cook_error *error) COOK_CHECK_RESULT;

#endif
