/*
 * Bundles of findings: what is taken for sound must have entries with plain paths, each once,
 * that are found again, within the limits.
 */
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "cook/base/path.h"
#include "cook/bundle/bundle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cook_bundle bundle;
    cJSON *head;
    struct cook_error error = COOK_ERROR_INIT;
    enum cook_status status = cook_bundle_unpack(&bundle, &head, data, size, &error);
    require((status == COOK_OK) == (head != NULL));
    require(bundle.total_bytes <= COOK_BUNDLE_MAX_BYTES);
    for (size_t i = 0; status == COOK_OK && i < bundle.count; i++) {
        require(cook_path_is_plain(bundle.entries[i].path));
        require(i == 0 || strcmp(bundle.entries[i - 1].path, bundle.entries[i].path) < 0);
        require(cook_bundle_find(&bundle, bundle.entries[i].path) == &bundle.entries[i].bytes);
    }
    cJSON_Delete(head);
    cook_bundle_finish(&bundle);
    return 0;
}
