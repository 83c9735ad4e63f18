/*
 * The crash report: u32 magic, u8 version, u32 signal; then, innermost first, a record per
 * frame: u8 COOK_CRASH_FRAME, the module's name, path and build id (each u16 length and bytes),
 * u64 offset; then u8 COOK_CRASH_END. Little-endian; fixed widths, since a signal handler
 * writes it.
 */
#ifndef COOK_SYMBOLS_CRASH_FORMAT_H
#define COOK_SYMBOLS_CRASH_FORMAT_H

#define COOK_CRASH_MAGIC   0x52434b43u /* "CKCR" */
#define COOK_CRASH_VERSION 1
#define COOK_CRASH_END     0
#define COOK_CRASH_FRAME   1

#define COOK_CRASH_NAME_BYTES 255
#define COOK_CRASH_PATH_BYTES 3700 /* longer ones are left out; the build id still finds them  \
                                    */
#define COOK_CRASH_RECORD_BYTES 4096

#endif
