#include "cook/worker/plugin_copy.h"

#include <gelf.h>
#include <libelf.h>
#include <string.h>

#include "cook/base/fs.h"
#include "cook/symbols/modules.h"

#define MAX_PLUGIN_BYTES (UINT64_C(2) << 30)

/* The build id in the note sections of an ELF file in memory; "" when there is none. */
static bool elf_build_id(char text[COOK_BUILD_ID_TEXT_SIZE], struct cook_buf *bytes)
{
    text[0] = '\0';
    if (elf_version(EV_CURRENT) == EV_NONE)
        return false;
    Elf *elf = elf_memory((char *)bytes->data, bytes->size);
    if (!elf || elf_kind(elf) != ELF_K_ELF) {
        elf_end(elf);
        return false;
    }
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section && !text[0];
         section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE)
            continue;
        const Elf_Data *data = elf_rawdata(section, NULL);
        if (data && data->d_buf)
            cook_build_id_from_notes(text, data->d_buf, data->d_size,
                                     (size_t)header.sh_addralign);
    }
    elf_end(elf);
    return true;
}

enum cook_status cook_plugin_copy(const char **build_id, const char **file_name, int folder_fd,
                                  int project_fd, const char *path, struct cook_arena *arena,
                                  struct cook_error *error)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    char id[COOK_BUILD_ID_TEXT_SIZE];
    enum cook_status status =
        cook_fs_read(&bytes, NULL, project_fd, path, MAX_PLUGIN_BYTES, error);
    if (status == COOK_OK && !elf_build_id(id, &bytes))
        status = cook_error_set(error, COOK_E_CONFIG, "plugin %s is no ELF shared object", path);
    if (status == COOK_OK) {
        if (!id[0])
            cook_hash_to_text(cook_hash_bytes(bytes.data, bytes.size), id);
        *build_id = cook_arena_strdup(arena, id);
        *file_name = cook_arena_printf(arena, "%s.so", id);
        if (!*build_id || !*file_name)
            status = cook_error_no_memory(error);
    }
    struct cook_file_stat there;
    if (status == COOK_OK)
        status = cook_fs_stat(&there, folder_fd, *file_name, error);
    if (status == COOK_OK && there.size_bytes != bytes.size)
        status = cook_fs_write(folder_fd, *file_name, bytes.data, bytes.size, false, error);
    cook_buf_finish(&bytes);
    return status;
}
