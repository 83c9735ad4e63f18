#include "cook/store/index.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cook/base/alloc.h"
#include "cook/base/fs.h"
#include "cook/store/state_private.h"

#define MAGIC           "COOKIDX\n"
#define VERSION         3u
#define BYTE_ORDER_MARK 0x01020304u
#define ALIGNMENT       64u
#define NEW_FILE        COOK_INDEX_FILE ".new"
#define SECTION_COUNT   (COOK_STATE_TABLE_COUNT + 2) /* the tables, then the two orders */

/* Rows are written as they lie in memory; these sizes are the format. */
_Static_assert(sizeof(struct cook_state_folder) == 32, "a folder row is 32 bytes");
_Static_assert(sizeof(struct cook_state_file) == 64, "a file row is 64 bytes");
_Static_assert(sizeof(struct cook_state_package) == 40, "a package row is 40 bytes");
_Static_assert(sizeof(struct cook_state_result) == 88, "a result row is 88 bytes");
_Static_assert(sizeof(struct cook_state_dep) == 32, "a dependency row is 32 bytes");
_Static_assert(sizeof(struct cook_state_set) == 12, "a set row is 12 bytes");
_Static_assert(sizeof(struct cook_state_bundle) == 8, "a bundle row is 8 bytes");

struct section {
    uint64_t offset;
    uint64_t count;
    uint32_t row_bytes;
    uint32_t reserved;
};

struct header {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint32_t header_bytes;
    uint32_t section_count;
    uint64_t file_bytes;
    struct cook_index_stamp stamp;
    uint64_t pool_base;
    struct cook_hash content; /* of all bytes behind the header */
    struct cook_hash boot; /* of the boot id when it was written or last proved; zero: none */
    int64_t mtime_ns;      /* that the file was given then */
    struct section sections[SECTION_COUNT];
    struct cook_hash checksum; /* of the header before this */
};

#define FIRST_SECTION ((sizeof(struct header) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

static struct cook_hash header_checksum(const struct header *header)
{
    return cook_hash_bytes(header, offsetof(struct header, checksum));
}

void cook_index_seal(void *bytes, size_t size)
{
    struct header header;
    if (size < sizeof(header))
        return;
    memcpy(&header, bytes, sizeof(header));
    header.checksum = header_checksum(&header);
    memcpy(bytes, &header, sizeof(header));
}

/* ---- validation ---- */

static enum cook_status bad(const char *what, struct cook_error *error)
{
    return cook_error_set(error, COOK_E_DAMAGED, COOK_INDEX_FILE ": %s", what);
}

static enum cook_status check_header(const struct header *header, size_t size,
                                     const struct cook_index_stamp *expected,
                                     struct cook_error *error)
{
    if (memcmp(header->magic, MAGIC, sizeof(header->magic)) != 0)
        return bad("it is no index", error);
    if (header->version != VERSION || header->byte_order != BYTE_ORDER_MARK)
        return cook_error_set(error, COOK_E_UNSUPPORTED, COOK_INDEX_FILE ": another format");
    if (!cook_hash_equal(header->checksum, header_checksum(header)) ||
        header->header_bytes != sizeof(*header) || header->section_count != SECTION_COUNT)
        return bad("the header is damaged", error);
    if (header->file_bytes != size)
        return bad("the file is cut off", error);
    if (expected && (header->stamp.generation != expected->generation ||
                     header->stamp.token != expected->token))
        return bad("it is of another generation", error);
    return COOK_OK;
}

/* Sections come in order and do not overlap; behind each is at least one byte of padding. */
static bool sections_fit(const struct header *header, size_t size)
{
    uint64_t end = FIRST_SECTION;
    for (unsigned i = 0; i < SECTION_COUNT; i++) {
        const struct section *section = &header->sections[i];
        if (section->offset < end || section->offset % ALIGNMENT || section->offset >= size ||
            section->count > COOK_STATE_MAX_ROWS || section->row_bytes > 256)
            return false;
        end = section->count * section->row_bytes;
        if (end >= size - section->offset)
            return false;
        end += section->offset;
    }
    return true;
}

static bool attach_table(struct cook_state *state, enum cook_state_table table,
                         const struct section *section, char *bytes)
{
    struct cook_state_array array = cook_state_array(state, table);
    if (section->row_bytes != array.row_size)
        return false;
    void *rows = bytes + section->offset;
    memcpy(array.items, &rows, sizeof(rows));
    *array.count = (uint32_t)section->count;
    return true;
}

static bool attach_order(uint32_t **order, uint32_t *count, const struct section *section,
                         char *bytes, uint32_t rows)
{
    *order = (uint32_t *)(void *)(bytes + section->offset);
    *count = (uint32_t)section->count;
    return section->row_bytes == sizeof(**order) && section->count == rows;
}

/* The first text is the empty one, and the byte behind the pool ends the last. */
static bool pool_fits(const struct cook_state *state)
{
    return (!state->pool_count || state->pool[0] == '\0') &&
           state->pool[state->pool_count] == '\0';
}

enum cook_status cook_index_attach(struct cook_state *state, void *bytes, size_t size,
                                   const struct cook_index_stamp *expected,
                                   struct cook_error *error)
{
    struct header header;
    if (size < FIRST_SECTION)
        return bad("the file is cut off", error);
    memcpy(&header, bytes, sizeof(header));
    enum cook_status status = check_header(&header, size, expected, error);
    if (status != COOK_OK)
        return status;
    if (!sections_fit(&header, size))
        return bad("the section table is damaged", error);

    struct cook_state found;
    memset(&found, 0, sizeof(found));
    bool fits = true;
    for (int table = 0; table < COOK_STATE_TABLE_COUNT; table++)
        fits &=
            attach_table(&found, (enum cook_state_table)table, &header.sections[table], bytes);
    const struct section *orders = &header.sections[COOK_STATE_TABLE_COUNT];
    fits &= attach_order(&found.package_order, &found.order_packages, &orders[0], bytes,
                         found.packages_count);
    fits &= attach_order(&found.file_order, &found.order_files, &orders[1], bytes,
                         found.files_count);
    if (!fits || !pool_fits(&found))
        return bad("a section is damaged", error);
    status = cook_state_check(&found, error);
    if (status != COOK_OK) {
        cook_error_prefix(error, COOK_INDEX_FILE);
        return status;
    }
    found.mapped = true;
    *state = found;
    return COOK_OK;
}

/* ---- mapping ---- */

/* Zero where the system does not tell, which then never matches. */
static struct cook_hash boot_id(void)
{
    char text[64];
    struct cook_hash none = { 0, 0 };
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return none;
    ssize_t size = read(fd, text, sizeof(text));
    close(fd);
    return size > 0 ? cook_hash_bytes(text, (size_t)size) : none;
}

static int64_t mtime_of(const struct stat *facts)
{
    return (int64_t)facts->st_mtim.tv_sec * INT64_C(1000000000) + facts->st_mtim.tv_nsec;
}

static bool content_matches(const struct header *header, const char *bytes, size_t size)
{
    struct cook_hash hash = cook_hash_bytes(bytes + sizeof(*header), size - sizeof(*header));
    return cook_hash_equal(hash, header->content);
}

/* Give the open file the time and boot that `header` names. */
static enum cook_status write_stamp(int fd, struct header *header, struct cook_error *error)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_nsec -= now.tv_nsec % 1000; /* so that a file system of microseconds keeps it */
    struct timespec times[2] = { { 0, UTIME_OMIT }, now };
    header->mtime_ns = (int64_t)now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
    header->boot = boot_id();
    header->checksum = header_checksum(header);
    ssize_t written;
    do {
        written = pwrite(fd, header, sizeof(*header), 0);
    } while (written < 0 && errno == EINTR);
    if (written != (ssize_t)sizeof(*header) || futimens(fd, times) != 0)
        return cook_error_set_errno(error, "cannot write " COOK_INDEX_FILE);
    return COOK_OK;
}

/* Whether the file is as its writer left it; where not, its whole content must prove itself. */
static enum cook_status check_content(const char *bytes, int folder_fd,
                                      const struct stat *facts, bool restamp,
                                      struct cook_error *error)
{
    struct header header;
    memcpy(&header, bytes, sizeof(header));
    if (!cook_hash_is_zero(header.boot) && mtime_of(facts) == header.mtime_ns &&
        cook_hash_equal(header.boot, boot_id()))
        return COOK_OK;
    if (!content_matches(&header, bytes, (size_t)facts->st_size))
        return bad("its bytes do not match their hash", error);
    int fd =
        restamp ? openat(folder_fd, COOK_INDEX_FILE, O_WRONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    if (fd >= 0) {
        (void)write_stamp(fd, &header, NULL); /* where it fails, the next one proves it again */
        close(fd);
    }
    return COOK_OK;
}

/* Private, so that it can be made writable where an addition fails, see cook_state_touch(). */
static enum cook_status map_fd(void **map, struct stat *facts, int fd, struct cook_error *error)
{
    if (fstat(fd, facts) != 0)
        return cook_error_set_errno(error, "cannot open " COOK_INDEX_FILE);
    if (!S_ISREG(facts->st_mode) || (uint64_t)facts->st_size < FIRST_SECTION)
        return bad("the file is cut off", error);
    void *found = mmap(NULL, (size_t)facts->st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (found == MAP_FAILED)
        return cook_error_set_errno(error, "cannot map " COOK_INDEX_FILE);
    *map = found;
    return COOK_OK;
}

static enum cook_status map_file(void **map, struct stat *facts, int folder_fd,
                                 struct cook_error *error)
{
    *map = NULL;
    int fd = openat(folder_fd, COOK_INDEX_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return cook_error_set_errno(error, "cannot open " COOK_INDEX_FILE);
    enum cook_status status = map_fd(map, facts, fd, error);
    close(fd);
    return status;
}

enum cook_status cook_index_map(struct cook_state *state, uint32_t *pool_base, int folder_fd,
                                const struct cook_index_stamp *expected, bool restamp,
                                struct cook_error *error)
{
    void *map;
    struct stat facts;
    struct header header;
    enum cook_status status = map_file(&map, &facts, folder_fd, error);
    if (status != COOK_OK)
        return status;
    struct cook_state found;
    status = cook_index_attach(&found, map, (size_t)facts.st_size, expected, error);
    if (status == COOK_OK)
        status = check_content(map, folder_fd, &facts, restamp, error);
    if (status != COOK_OK) {
        munmap(map, (size_t)facts.st_size);
        return status;
    }
    memcpy(&header, map, sizeof(header));
    *pool_base = (uint32_t)(header.pool_base < COOK_STATE_MAX_ROWS ? header.pool_base : 0);
    found.map = map;
    found.map_size = (size_t)facts.st_size;
    *state = found;
    return COOK_OK;
}

enum cook_status cook_index_verify(int folder_fd, struct cook_error *error)
{
    void *map;
    struct stat facts;
    struct header header;
    enum cook_status status = map_file(&map, &facts, folder_fd, error);
    if (status == COOK_E_NOT_FOUND)
        return COOK_OK;
    if (status != COOK_OK)
        return status;
    memcpy(&header, map, sizeof(header));
    status = check_header(&header, (size_t)facts.st_size, NULL, error);
    if (status == COOK_OK && !content_matches(&header, map, (size_t)facts.st_size))
        status = bad("its bytes do not match their hash", error);
    munmap(map, (size_t)facts.st_size);
    return status == COOK_E_UNSUPPORTED ? COOK_OK : status;
}

/* ---- writing ---- */

struct writer {
    int fd;
    uint64_t end;
    struct cook_hasher hasher; /* of all bytes behind the header */
};

static enum cook_status put(struct writer *writer, const void *bytes, size_t size,
                            struct cook_error *error)
{
    cook_hasher_update(&writer->hasher, bytes, size);
    writer->end += size;
    return cook_fs_write_all(writer->fd, bytes, size, error);
}

/* Rows and the padding to the next section, of which there is always a byte. */
static enum cook_status put_section(struct writer *writer, struct section *section,
                                    const void *rows, uint32_t count, size_t row_bytes,
                                    struct cook_error *error)
{
    static const char zeros[ALIGNMENT];
    *section = (struct section){ writer->end, count, (uint32_t)row_bytes, 0 };
    enum cook_status status = COOK_OK;
    if (count)
        status = put(writer, rows, count * row_bytes, error);
    if (status == COOK_OK)
        status = put(writer, zeros, ALIGNMENT - writer->end % ALIGNMENT, error);
    return status;
}

static enum cook_status put_sections(struct writer *writer, struct header *header,
                                     const struct cook_state *state, struct cook_error *error)
{
    static const char zeros[FIRST_SECTION - sizeof(struct header)];
    enum cook_status status = COOK_OK;
    if (sizeof(zeros))
        status = put(writer, zeros, sizeof(zeros), error);
    for (int table = 0; table < COOK_STATE_TABLE_COUNT && status == COOK_OK; table++) {
        uint32_t count;
        size_t row_bytes;
        const void *rows =
            cook_state_rows(state, (enum cook_state_table)table, &count, &row_bytes);
        status = put_section(writer, &header->sections[table], rows, count, row_bytes, error);
    }
    struct section *orders = &header->sections[COOK_STATE_TABLE_COUNT];
    if (status == COOK_OK)
        status = put_section(writer, &orders[0], state->package_order, state->order_packages,
                             sizeof(uint32_t), error);
    if (status == COOK_OK)
        status = put_section(writer, &orders[1], state->file_order, state->order_files,
                             sizeof(uint32_t), error);
    return status;
}

static enum cook_status write_file(int fd, const struct cook_state *state,
                                   const struct cook_index_stamp *stamp, uint32_t pool_base,
                                   struct cook_error *error)
{
    struct header header;
    struct writer writer = { .fd = fd, .end = sizeof(header) };
    memset(&header, 0, sizeof(header));
    memcpy(header.magic, MAGIC, sizeof(header.magic));
    header.version = VERSION;
    header.byte_order = BYTE_ORDER_MARK;
    header.header_bytes = sizeof(header);
    header.section_count = SECTION_COUNT;
    header.stamp = *stamp;
    header.pool_base = pool_base;
    cook_hasher_init(&writer.hasher);
    enum cook_status status = cook_fs_write_all(fd, &header, sizeof(header), error);
    if (status == COOK_OK)
        status = put_sections(&writer, &header, state, error);
    if (status != COOK_OK) {
        cook_error_prefix(error, "cannot write " COOK_INDEX_FILE);
        return status;
    }
    header.file_bytes = writer.end;
    header.content = cook_hasher_digest(&writer.hasher);
    return write_stamp(fd, &header, error);
}

enum cook_status cook_index_write(const struct cook_state *state, int folder_fd,
                                  const struct cook_index_stamp *stamp, uint32_t pool_base,
                                  struct cook_error *error)
{
    int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;
    int fd = openat(folder_fd, NEW_FILE, flags, 0666);
    if (fd < 0)
        return cook_error_set_errno(error, "cannot create " NEW_FILE);
    enum cook_status status = write_file(fd, state, stamp, pool_base, error);
    close(fd);
    if (status == COOK_OK && renameat(folder_fd, NEW_FILE, folder_fd, COOK_INDEX_FILE) != 0)
        status = cook_error_set_errno(error, "cannot replace " COOK_INDEX_FILE);
    if (status != COOK_OK)
        (void)unlinkat(folder_fd, NEW_FILE, 0);
    return status;
}

/* ---- copies ---- */

enum cook_status cook_index_write_copy(const struct cook_state *state, int fd,
                                       struct cook_error *error)
{
    static const struct cook_index_stamp none;
    if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0)
        return cook_error_set_errno(error, "cannot write the registry's memory file");
    return write_file(fd, state, &none, 0, error);
}

enum cook_status cook_index_map_copy(struct cook_state *state, int fd, struct cook_error *error)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0 || (uint64_t)facts.st_size < FIRST_SECTION)
        return cook_error_set(error, COOK_E_MALFORMED, "the registry's memory file is cut off");
    void *map = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return cook_error_set_errno(error, "cannot map the registry's memory file");
    struct cook_state found;
    enum cook_status status =
        cook_index_attach(&found, map, (size_t)facts.st_size, NULL, error);
    if (status != COOK_OK) {
        munmap(map, (size_t)facts.st_size);
        return status;
    }
    found.map = map;
    found.map_size = (size_t)facts.st_size;
    *state = found;
    return COOK_OK;
}
