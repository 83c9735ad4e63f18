/*
 * What verbs print goes through here: names and log lines are those of anybody's files, and must neither
 * steer a terminal nor turn the text around them.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cook/base/fs.h"
#include "cook/base/text.h"
#include "cook/cli/cli.h"

struct stream {
    int fd;
    uint8_t begun[4]; /* of a character whose end comes with the next write */
    size_t begun_size;
};

/* The bytes at the end of a text that begin a character and do not end it. */
static size_t open_end(const uint8_t *text, size_t size)
{
    for (size_t back = 1; back <= 3 && back <= size; back++) {
        uint8_t c = text[size - back];
        if (c < 0x80)
            return 0;
        if (c >= 0xc0)
            return (c >= 0xf0 ? 4u : c >= 0xe0 ? 3u : 2u) > back ? back : 0;
    }
    return 0;
}

static bool write_shown(const struct stream *stream, const void *text, size_t size)
{
    struct cook_buf out = COOK_BUF_INIT;
    cook_text_put(&out, text, size, COOK_TEXT_LINES);
    bool good = !out.failed && cook_fs_write_all(stream->fd, out.data, out.size, NULL) == COOK_OK;
    cook_buf_finish(&out);
    return good;
}

static ssize_t write_stream(void *cookie, const char *text, size_t size)
{
    struct stream *stream = cookie;
    struct cook_buf all = COOK_BUF_INIT;
    cook_buf_put(&all, stream->begun, stream->begun_size);
    cook_buf_put(&all, text, size);
    size_t open = open_end(all.data, all.size);
    bool good = !all.failed && write_shown(stream, all.data, all.size - open);
    if (good) {
        memcpy(stream->begun, all.data + all.size - open, open);
        stream->begun_size = open;
    }
    cook_buf_finish(&all);
    return good ? (ssize_t)size : 0;
}

static int close_stream(void *cookie)
{
    struct stream *stream = cookie;
    bool good = write_shown(stream, stream->begun, stream->begun_size);
    cook_free(stream);
    return good ? 0 : EOF;
}

FILE *cook_cli_stream(int fd)
{
    struct stream *stream = cook_calloc(1, sizeof(*stream));
    if (!stream)
        return NULL;
    stream->fd = fd;
    FILE *file = fopencookie(stream, "w", (cookie_io_functions_t){ .write = write_stream,
                                                                  .close = close_stream });
    if (!file)
        cook_free(stream);
    else if (fd == STDERR_FILENO || isatty(fd))
        (void)setvbuf(file, NULL, _IOLBF, 0);
    return file;
}
