/*
 * Config input. The first byte chooses what the others are: a cook.ini (even) or the message
 * that a worker gets (odd). What loads must survive its own encoding.
 */
#include "cook/config/config.h"
#include "tests/support/folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_round_trip(const struct cook_config *config)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    struct cook_buf again = COOK_BUF_INIT;
    struct cook_config *copy;
    cook_config_encode(config, &bytes);
    require(cook_config_decode(&copy, bytes.data, bytes.size, NULL) == COOK_OK);
    cook_config_encode(copy, &again);
    require(bytes.size == again.size && memcmp(bytes.data, again.data, bytes.size) == 0);
    cook_config_destroy(copy);
    cook_buf_finish(&bytes);
    cook_buf_finish(&again);
}

static void load_file(const uint8_t *data, size_t size)
{
    struct test_folder folder;
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_config *config;
    require(test_folder_open(&folder) == 0);
    require(cook_fs_write(folder.fd, "cook.ini", data, size, false, NULL) == COOK_OK);
    struct cook_config_options options = { .project_fd = folder.fd, .target = "Linux" };
    if (cook_config_load(&config, &options, &error) == COOK_OK)
        check_round_trip(config);
    else
        require(strncmp(error.message, "cook.ini:", 9) == 0);
    cook_config_destroy(config);
    require(test_folder_close(&folder) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cook_config *config;
    if (size == 0)
        return 0;
    if (data[0] % 2 == 0) {
        load_file(data + 1, size - 1);
        return 0;
    }
    if (cook_config_decode(&config, data + 1, size - 1, NULL) == COOK_OK)
        check_round_trip(config);
    cook_config_destroy(config);
    return 0;
}
