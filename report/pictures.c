/* Pictures that a validation wrote beside its document (--pictures), put into the page. The document may say
 * anything: only PNG files of moderate size are taken. */
#include <fcntl.h>
#include <string.h>

#include "cook/archive/base64.h"
#include "cook/base/fs.h"
#include "report/report.h"

#define MAX_PICTURE_BYTES (UINT64_C(1) << 20)
#define MAX_TOTAL_BYTES   (UINT64_C(12) << 20)
#define MAX_A_FINDING     12

static const uint8_t signature[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };

/* False: it is left out. */
static bool add_picture(cJSON *list, const char *path, uint64_t *total)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    struct cook_arena arena = COOK_ARENA_INIT;
    const char *text = NULL;
    if (cook_fs_read(&bytes, NULL, AT_FDCWD, path, MAX_PICTURE_BYTES, NULL) == COOK_OK &&
        bytes.size > sizeof(signature) && memcmp(bytes.data, signature, sizeof(signature)) == 0 &&
        *total + bytes.size <= MAX_TOTAL_BYTES)
        text = cook_base64_encode(&arena, bytes.data, bytes.size);
    if (text) {
        char *data = cook_arena_printf(&arena, "data:image/png;base64,%s", text);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", path);
        cJSON_AddStringToObject(item, "data", data ? data : "");
        cJSON_AddItemToArray(list, item);
        *total += bytes.size;
    }
    cook_buf_finish(&bytes);
    cook_arena_finish(&arena);
    return text != NULL;
}

void report_add_pictures(cJSON *findings)
{
    uint64_t total = 0;
    cJSON *finding;
    cJSON_ArrayForEach(finding, findings) {
        const cJSON *name, *names = cJSON_GetObjectItemCaseSensitive(finding, "pictures");
        double left_out = 0;
        int taken = 0;
        if (!cJSON_IsArray(names) || cJSON_GetArraySize(names) == 0)
            continue;
        cJSON *list = cJSON_AddArrayToObject(finding, "shown_pictures");
        cJSON_ArrayForEach(name, names)
            if (cJSON_IsString(name) && taken < MAX_A_FINDING && add_picture(list, name->valuestring, &total))
                taken++;
            else
                left_out++;
        cJSON_AddNumberToObject(finding, "pictures_left_out", left_out);
    }
}
