/* Knows of Markdown what the documents use: headings, paragraphs, lists, fenced code, tables, links,
 * pictures. */
#include "cli/plain.h"

#include <string.h>

#include "base/base.h"

enum { WIDTH = 80, BODY = 2, LEFT_COLUMN = 24, LONGEST = 16384, MOST_CELLS = 8 };

/* --- lines and headings --- */

/* The next line, without its end. False: there is none. */
static bool take_line(struct markdown *text, struct markdown *line)
{
    if (text->length == 0)
        return false;
    const char *end = memchr(text->at, '\n', text->length);
    line->at = text->at;
    line->length = end != NULL ? (size_t)(end - text->at) : text->length;
    size_t taken = line->length + (end != NULL);
    text->at += taken;
    text->length -= taken;
    return true;
}

static bool begins(struct markdown line, const char *prefix)
{
    return line.length >= strlen(prefix) && memcmp(line.at, prefix, strlen(prefix)) == 0;
}

static struct markdown without(struct markdown line, size_t bytes)
{
    return (struct markdown){line.at + bytes, line.length - bytes};
}

/* "## Text": 2. Not a heading: 0. */
static size_t heading_level(struct markdown line)
{
    size_t level = 0;
    while (level < line.length && line.at[level] == '#')
        level++;
    return level < line.length && line.at[level] == ' ' ? level : 0;
}

struct markdown markdown_section(struct markdown document, const char *heading)
{
    struct markdown rest = document, line, found = {NULL, 0};
    bool in_code = false;
    size_t level = 0;
    while (heading[0] != '\0' && take_line(&rest, &line)) {
        in_code ^= begins(line, "```");
        size_t here = in_code ? 0 : heading_level(line);
        if (here == 0)
            continue;
        if (found.at != NULL && here <= level)
            return (struct markdown){found.at, (size_t)(line.at - found.at)};
        struct markdown name = without(line, here + 1);
        if (found.at == NULL && name.length == strlen(heading) && begins(name, heading)) {
            found.at = line.at;
            level = here;
        }
    }
    if (heading[0] == '\0')
        return document;
    return found.at == NULL ? found : (struct markdown){found.at, (size_t)(rest.at - found.at)};
}

/* --- a piece of running text, broken into lines when it is whole --- */

struct paragraph {
    FILE *out;
    size_t first, indent; /* columns before its first line, and before the others */
    size_t taken;         /* columns of its first line that have something in them already */
    char text[LONGEST];
    size_t length;
};

/* Characters, not bytes. */
static size_t columns(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

static void put_wrapped(const struct paragraph *p)
{
    size_t column = p->first;
    bool begun = false;
    fprintf(p->out, "%*s", (int)(p->first - p->taken), "");
    for (size_t at = 0; at < p->length;) {
        const char *word = p->text + at, *end = memchr(word, ' ', p->length - at);
        size_t bytes = end != NULL ? (size_t)(end - word) : p->length - at, wide = columns(word, bytes);
        at += bytes + 1;
        if (bytes == 0)
            continue;
        if (begun && column + 1 + wide > WIDTH) {
            fprintf(p->out, "\n%*s", (int)p->indent, "");
            column = p->indent;
        } else if (begun) {
            fputc(' ', p->out);
            column++;
        }
        fwrite(word, 1, bytes, p->out);
        column += wide;
        begun = true;
    }
    fputc('\n', p->out);
}

static void flush(struct paragraph *p)
{
    if (p->length > 0)
        put_wrapped(p);
    p->length = p->taken = 0;
    p->first = p->indent = BODY;
}

static void add_bytes(struct paragraph *p, const char *bytes, size_t length)
{
    require(p->length + length <= LONGEST);
    memcpy(p->text + p->length, bytes, length);
    p->length += length;
}

/* Where a link's "](address)" ends; NULL: `at` does not begin one. */
static const char *after_address(const char *at, const char *end)
{
    return end - at > 2 && at[0] == ']' && at[1] == '(' ? memchr(at, ')', (size_t)(end - at)) : NULL;
}

/* The text without its marks: those of code, of strong words, and of links. */
static void add(struct paragraph *p, struct markdown text)
{
    const char *end = text.at + text.length;
    bool in_code = false;
    if (p->length > 0)
        add_bytes(p, " ", 1);
    for (const char *at = text.at; at < end; at++) {
        const char *closes = in_code ? NULL : after_address(at, end);
        if (*at == '`') {
            in_code = !in_code;
        } else if (closes != NULL) {
            at = closes;
        } else if (!in_code && end - at > 1 && at[0] == '*' && at[1] == '*') {
            at++;
        } else if (at[0] == '\\' && end - at > 1 && at[1] == '|') {
            add_bytes(p, ++at, 1);
        } else if (in_code || *at != '[' || memchr(at, ']', (size_t)(end - at)) == NULL ||
                   after_address(memchr(at, ']', (size_t)(end - at)), end) == NULL) {
            add_bytes(p, at, 1);
        }
    }
}

/* --- tables: a row is its first cell, and what the others say of it --- */

struct table {
    size_t rows;
    struct markdown title[MOST_CELLS];
};

static size_t split_row(struct markdown line, struct markdown *cell)
{
    size_t count = 0;
    const char *end = line.at + line.length;
    for (const char *at = line.at + 1; at < end && count < MOST_CELLS;) {
        const char *bar = at;
        while (bar < end && (*bar != '|' || bar[-1] == '\\'))
            bar++;
        const char *last = bar;
        while (at < last && *at == ' ')
            at++;
        while (last > at && last[-1] == ' ')
            last--;
        if (bar < end)
            cell[count++] = (struct markdown){at, (size_t)(last - at)};
        at = bar + 1;
    }
    return count;
}

/* Side by side, if the left one leaves room. */
static void put_pair(struct paragraph *p, struct markdown left, struct markdown right)
{
    add(p, left);
    size_t taken = BODY + columns(p->text, p->length);
    if (taken + 1 > LEFT_COLUMN) {
        flush(p);
    } else {
        fprintf(p->out, "%*s%.*s", BODY, "", (int)p->length, p->text);
        p->length = 0;
        p->taken = taken;
    }
    p->first = p->indent = LEFT_COLUMN;
    add(p, right);
    flush(p);
}

static void put_row(struct paragraph *p, struct table *t, struct markdown line)
{
    struct markdown cell[MOST_CELLS];
    size_t count = split_row(line, cell);
    if (t->rows++ == 0)
        memcpy(t->title, cell, count * sizeof *cell);
    if (t->rows <= 2) /* the titles, and the line below them */
        return;
    flush(p);
    if (count == 2) {
        put_pair(p, cell[0], cell[1]);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (cell[i].length == 0)
            continue;
        p->first = p->indent = i == 0 ? BODY : BODY + 4;
        if (i > 0 && t->title[i].length > 0) {
            add(p, t->title[i]);
            add_bytes(p, ":", 1);
        }
        add(p, cell[i]);
        flush(p);
    }
}

/* --- the whole --- */

static void put_code(FILE *out, struct markdown *text)
{
    struct markdown line;
    while (take_line(text, &line) && !begins(line, "```"))
        fprintf(out, "%*s%.*s\n", line.length > 0 ? BODY + 2 : 0, "", (int)line.length, line.at);
}

/* "- " or "1. " after blanks: how far the text of the item is indented. 0: not one. */
static size_t item_indent(struct markdown line)
{
    size_t blanks = 0, at;
    while (blanks < line.length && line.at[blanks] == ' ')
        blanks++;
    for (at = blanks; at < line.length && line.at[at] >= '0' && line.at[at] <= '9';)
        at++;
    bool numbered = at > blanks && at + 1 < line.length && line.at[at] == '.';
    bool dashed = at == blanks && at + 1 < line.length && line.at[at] == '-';
    return (numbered || dashed) && line.at[at + 1] == ' ' ? at + 2 : 0;
}

static void put_heading(struct paragraph *p, struct markdown line, bool first)
{
    flush(p);
    if (!first)
        fputc('\n', p->out);
    p->first = p->indent = 0;
    add(p, without(line, heading_level(line) + 1));
    flush(p);
}

void markdown_plain(struct markdown text, FILE *out)
{
    struct paragraph p = {.out = out, .first = BODY, .indent = BODY};
    struct table table = {.rows = 0};
    struct markdown line;
    bool gap = false, nothing = true; /* an empty line is due; nothing has been written */
    while (take_line(&text, &line)) {
        size_t item = item_indent(line);
        if (line.length == 0 || begins(line, "![")) {
            flush(&p);
            table.rows = 0;
            gap = true;
            continue;
        }
        if (gap && !nothing && heading_level(line) == 0)
            fputc('\n', out);
        gap = false;
        if (begins(line, "```")) {
            flush(&p);
            put_code(out, &text);
        } else if (heading_level(line) > 0) {
            put_heading(&p, line, nothing);
        } else if (line.at[0] == '|') {
            put_row(&p, &table, line);
        } else {
            if (item > 0) {
                flush(&p);
                p.first = BODY + strspn(line.at, " ");
                p.indent = BODY + item;
            }
            add(&p, line);
        }
        nothing = false;
    }
    flush(&p);
}
