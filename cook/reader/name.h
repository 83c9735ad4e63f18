/*
 * Names of objects that foreign files do not name themselves: one object a file takes the
 * file's name without its extension.
 */
#ifndef COOK_READER_NAME_H
#define COOK_READER_NAME_H

/* "Content/A/rock.small.png" gives "rock_small" in `buffer`, which is returned. */
const char *cook_file_object_name(char buffer[256], const char *path);

#endif
