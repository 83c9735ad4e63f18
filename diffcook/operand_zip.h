/* Zips as operands: unpacked to a temporary folder, and then compared as any other folder. */
#ifndef DIFFCOOK_OPERAND_ZIP_H
#define DIFFCOOK_OPERAND_ZIP_H

#include "operand.h"

/*
 * Unpack `path` and open the folder. Untrusted: COOK_E_MALFORMED for a broken zip, paths that leave
 * the folder or stand twice; COOK_E_LIMIT for more than 64 GiB or 4 million files, unpacked.
 * COOK_E_NO_SPACE, COOK_E_IO. What was unpacked goes with diff_operand_remove(), also after a failure.
 */
enum cook_status diff_operand_unzip(struct diff_operand *operand, const char *path,
                                    struct cook_error *error) COOK_CHECK_RESULT;
/*
 * The same with the "chunkN.zip" of staged output, each into a folder "chunkN" as loose staging has it.
 * Nothing is opened where there are none.
 */
enum cook_status diff_operand_unzip_chunks(struct diff_operand *operand, int staged_fd,
                                           struct cook_error *error) COOK_CHECK_RESULT;
void diff_operand_remove(struct diff_operand *operand);

#endif
