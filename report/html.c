#include <string.h>

#include "cook/base/text.h"
#include "report/page.h"
#include "report/report.h"

/* JSON inside <script>: "<" would end it or begin a comment, and two separators end lines of scripts. */
static void put_data(struct cook_buf *out, const char *json)
{
    for (const char *start = json; *start;) {
        size_t run = strcspn(start, "<>&");
        cook_buf_put(out, start, run);
        start += run;
        if (*start)
            cook_buf_printf(out, "\\u%04x", (unsigned)(unsigned char)*start++);
    }
}

static void put_file(struct cook_buf *out, const struct report_page_file *file)
{
    cook_buf_put(out, file->bytes, file->size);
}

/* The page with each @NAME@ of the template replaced. */
static void put_page(struct cook_buf *out, const char *json)
{
    const char *at = (const char *)report_page_html.bytes;
    const char *end = at + report_page_html.size;
    while (at < end) {
        const char *mark = memchr(at, '@', (size_t)(end - at));
        const char *stop = mark ? memchr(mark + 1, '@', (size_t)(end - mark - 1)) : NULL;
        if (!stop) {
            cook_buf_put(out, at, (size_t)(end - at));
            return;
        }
        size_t length = (size_t)(stop - mark - 1);
        cook_buf_put(out, at, (size_t)(mark - at));
        if (length == 3 && memcmp(mark + 1, "CSS", 3) == 0)
            put_file(out, &report_page_css);
        else if (length == 2 && memcmp(mark + 1, "D3", 2) == 0)
            put_file(out, &report_page_d3);
        else if (length == 6 && memcmp(mark + 1, "COMMON", 6) == 0)
            put_file(out, &report_page_common);
        else if (length == 6 && memcmp(mark + 1, "SCRIPT", 6) == 0)
            put_file(out, &report_page_js);
        else
            put_data(out, json);
        at = stop + 1;
    }
}

enum cook_status report_html(struct report *report, const cJSON *model, struct cook_error *error)
{
    struct cook_buf page = COOK_BUF_INIT;
    char *json = cJSON_PrintUnformatted(model);
    if (!json)
        return cook_error_no_memory(error);
    struct cook_buf data = COOK_BUF_INIT;
    cook_text_put_json(&data, json);
    cJSON_free(json);
    put_page(&page, cook_buf_text(&data));
    page.failed |= data.failed;
    cook_buf_finish(&data);
    enum cook_status status = page.failed ? cook_error_no_memory(error)
                                          : report_write(report, page.data, page.size, error);
    cook_buf_finish(&page);
    return status;
}
