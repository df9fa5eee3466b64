/* The report as one page that needs nothing but a browser: the races as JSON with what their sources say, in
 * a page (src/report/page) that draws them; and as text, where scripts are not allowed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/headline.h"
#include "report/live_report.h"
#include "report/page.h"
#include "report/own_frame.h"
#include "report/snippet.h"

/* --- text that is no markup --- */

static void put_escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '"')
            fputs("&quot;", out);
        else
            fputc(*text, out);
    }
}

/* JSON within a script element: no < of a text can end it. */
static void put_json(FILE *out, const json_t *json)
{
    char *text = json_dumps(json, JSON_COMPACT);
    if (text == NULL)
        tool_failed("out of memory while writing a page");
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '<')
            fputs("\\u003c", out);
        else
            fputc(*at, out);
    }
    free(text);
}

/* --- sources --- */

enum { LINES_AROUND = 4, LONGEST_LINE = 400 };

/* Bytes that are no UTF-8 become question marks. */
static json_t *line_json(char *line)
{
    line[strcspn(line, "\r\n")] = '\0';
    json_t *json = json_string(line);
    if (json != NULL)
        return json;
    for (char *at = line; *at != '\0'; at++)
        if ((unsigned char)*at >= 0x80)
            *at = '?';
    return json_string(line);
}

/* Cuts a long line, between two characters. */
static void shorten(char *line)
{
    size_t length = strlen(line);
    if (length <= LONGEST_LINE)
        return;
    for (length = LONGEST_LINE; length > 0 && ((unsigned char)line[length] & 0xc0) == 0x80; length--)
        continue;
    line[length] = '\0';
}

/* The lines around one; NULL: they cannot be read, or the file is shorter. */
static json_t *lines_around(const char *file, const char *module, uint32_t line)
{
    FILE *in = snippet_open(file, module);
    if (in == NULL)
        return NULL;
    uint32_t from = line > LINES_AROUND ? line - LINES_AROUND : 1, number = 0;
    json_t *lines = json_array();
    char *text = NULL;
    size_t room = 0;
    while (number < line + LINES_AROUND && getline(&text, &room, in) > 0) {
        if (++number < from)
            continue;
        shorten(text);
        json_array_append_new(lines, line_json(text));
    }
    free(text);
    fclose(in);
    if (number >= line)
        return json_pack("{s:I, s:o}", "from", (json_int_t)from, "lines", lines);
    json_decref(lines);
    return NULL;
}

/* "file:line" of all frames, wherever they are in the race. */
static void add_sources(json_t *sources, const json_t *value)
{
    const char *file = json_string_value(json_object_get(value, "file")), *key;
    const char *source = json_string_value(json_object_get(value, "source")); /* where `file` can be read */
    const char *module = json_string_value(json_object_get(value, "module"));
    json_int_t line = json_integer_value(json_object_get(value, "line"));
    json_t *child;
    size_t i;
    if (file != NULL && line > 0 && line < UINT32_MAX) {
        char *name;
        if (asprintf(&name, "%s:%lld", file, (long long)line) < 0)
            tool_failed("out of memory");
        json_t *found = json_object_get(sources, name) == NULL
                            ? lines_around(source != NULL ? source : file, module, (uint32_t)line)
                            : NULL;
        if (found != NULL)
            json_object_set_new(sources, name, found);
        free(name);
    }
    json_object_foreach((json_t *)value, key, child) add_sources(sources, child);
    json_array_foreach(value, i, child) add_sources(sources, child);
}

/* --- the page --- */

static json_t *system_folders_json(void)
{
    json_t *list = json_array();
    for (size_t i = 0; system_folders[i] != NULL; i++)
        json_array_append_new(list, json_string(system_folders[i]));
    return list;
}

static void put_data(const struct live_report *r, FILE *out)
{
    struct pool pool = {0};
    json_t *headlines = json_array(), *sources = json_object();
    json_t *report = json_copy(r->root), *races = json_array();
    for (size_t i = 0; i < r->count; i++) {
        json_t *race = json_copy(r->race[i].json);
        json_object_set_new(race, "fingerprint", json_string(r->race[i].fingerprint));
        json_object_set_new(race, "explain", json_string(r->race[i].explain));
        json_array_append_new(races, race);
        json_array_append_new(headlines,
                              json_string(live_race_headline(&r->race[i].race, r->precise, &pool)));
        add_sources(sources, r->race[i].json);
    }
    json_object_set_new(report, "races", races);
    json_t *data =
        json_pack("{s:o, s:o, s:o, s:o, s:s?}", "report", report, "headlines", headlines, "sources", sources,
                  "systemFolders", system_folders_json(), "doubt", live_report_doubt(r));
    put_json(out, data);
    json_decref(data);
    pool_free(&pool);
}

static void put_text(const struct live_report *r, FILE *out)
{
    char *text;
    size_t length;
    struct options options;
    FILE *memory = open_memstream(&text, &length);
    if (memory == NULL)
        tool_failed("out of memory");
    options_default(&options);
    live_report_text(r, &(struct text_style){.options = &options}, memory);
    fclose(memory);
    put_escaped(out, text);
    free(text);
}

static void put_title(const struct live_report *r, FILE *out)
{
    fprintf(out, "%zu race%s%s: ", r->count, r->count == 1 ? "" : "s",
            live_report_doubt(r) != NULL ? ", not everything checked" : "");
    put_escaped(out, r->program != NULL ? r->program : "several runs");
}

/* What stands for `name` in the page. */
static void put_part(const struct live_report *r, const char *name, size_t length, FILE *out)
{
    const char *const parts[] = {"title", "style", "text", "data", "script"};
    size_t part = 0;
    while (part < array_length(parts) &&
           (strlen(parts[part]) != length || memcmp(parts[part], name, length) != 0))
        part++;
    switch (part) {
    case 0:
        put_title(r, out);
        break;
    case 1:
        fwrite(page_css, 1, sizeof page_css, out);
        break;
    case 2:
        put_text(r, out);
        break;
    case 3:
        put_data(r, out);
        break;
    case 4:
        fwrite(page_js, 1, sizeof page_js, out);
        break;
    default:
        tool_failed("internal error: the page asks for %.*s", (int)length, name);
    }
}

void live_report_html(const struct live_report *r, FILE *out)
{
    const char *at = (const char *)page_html, *end = at + sizeof page_html;
    while (at < end) {
        const char *mark = memchr(at, '@', (size_t)(end - at));
        const char *last = mark != NULL ? memchr(mark + 1, '@', (size_t)(end - mark - 1)) : NULL;
        fwrite(at, 1, (size_t)((last != NULL ? mark : end) - at), out);
        if (last == NULL)
            return;
        put_part(r, mark + 1, (size_t)(last - mark - 1), out);
        at = last + 1;
    }
}
