/*
 * Who owns what: the file Config/CODEOWNERS of a project, in the manner of the CODEOWNERS files of
 * code hosts. A line is a pattern and the names of its owners; the last line that matches decides; '#'
 * begins a comment. A pattern is a glob ('*' matches any run of characters, also '/') over package
 * names (/Game/Maps/Arena), class names (/Script/Arena.Weapon) or source paths (Content/Maps/a.png); one
 * that ends in '/' matches all below. A pattern without owners says that nobody owns it.
 */
#ifndef COOK_CONFIG_OWNERS_H
#define COOK_CONFIG_OWNERS_H

#include <stddef.h>

#include "cook/base/alloc.h"
#include "cook/base/error.h"

#define COOK_OWNERS_FILE "Config/CODEOWNERS"

struct cook_owners_rule {
    const char *pattern;
    const char *owners; /* as written, blanks made one; "" for none */
};
struct cook_owners {
    struct cook_arena arena;
    struct cook_owners_rule *rules; /* as in the file */
    size_t count;
};

/*
 * Load those of the project whose folder is `project_fd`; none where there is no file. Untrusted:
 * COOK_E_MALFORMED with "Config/CODEOWNERS:line: reason", COOK_E_LIMIT over 1 MiB, COOK_E_IO,
 * COOK_E_NO_MEMORY. `owners` must be finished also after failure.
 */
enum cook_status cook_owners_load(struct cook_owners *owners, int project_fd,
                                  struct cook_error *error) COOK_CHECK_RESULT;
/* The same from text. */
enum cook_status cook_owners_parse(struct cook_owners *owners, const char *text, size_t size,
                                   struct cook_error *error) COOK_CHECK_RESULT;
void cook_owners_finish(struct cook_owners *owners);

/*
 * The owners of a package with objects of `classes`: by the last rule that matches its name, or one of
 * its classes. "" when nobody does. Borrowed from `owners`.
 */
const char *cook_owners_of(const struct cook_owners *owners, const char *package,
                           const char *const *classes, size_t class_count);

#endif
