/*
 * libdwarf, old and new. Debian 12 has 20210528, which lacks DW_LIBDWARF_VERSION; from 0.3.0 on
 * it is there, and some calls take fewer arguments or have another name. Only dwarf_*.c include
 * this.
 */
#ifndef COOK_SYMBOLS_DWARF_API_H
#define COOK_SYMBOLS_DWARF_API_H

#if __has_include(<libdwarf-0/libdwarf.h>)
#include <libdwarf-0/dwarf.h>
#include <libdwarf-0/libdwarf.h>
#elif __has_include(<libdwarf/libdwarf.h>)
#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>
#else
#include <dwarf.h>
#include <libdwarf.h>
#endif

/* Opens exactly the file at `path`: no debug link is followed, build ids are checked by us. */
static inline int cook_dwarf_api_open(Dwarf_Debug *debug, const char *path, Dwarf_Error *error)
{
#ifdef DW_LIBDWARF_VERSION
    return dwarf_init_path(path, NULL, 0, DW_GROUPNUMBER_ANY, NULL, NULL, debug, error);
#else
    return dwarf_init_path(path, NULL, 0, DW_DLC_READ, DW_GROUPNUMBER_ANY, NULL, NULL, debug,
                           NULL, 0, NULL, error);
#endif
}

static inline void cook_dwarf_api_close(Dwarf_Debug debug)
{
#ifdef DW_LIBDWARF_VERSION
    dwarf_finish(debug);
#else
    Dwarf_Error error = NULL;
    if (dwarf_finish(debug, &error) == DW_DLV_ERROR)
        dwarf_dealloc_error(NULL, error);
#endif
}

static inline void cook_dwarf_api_free_ranges(Dwarf_Debug debug, Dwarf_Ranges *ranges,
                                              Dwarf_Signed count)
{
#ifdef DW_LIBDWARF_VERSION
    dwarf_dealloc_ranges(debug, ranges, count);
#else
    dwarf_ranges_dealloc(debug, ranges, count);
#endif
}

#endif
