/* Writes STD text (trace/std_reader.c).
 *
 * A name from another format may hold bytes that STD has no room for, and a thread's may begin with '#',
 * which would make its line a comment. Such a name is written with those bytes, and '%', as %XX; so is a name
 * that already looks as if it had been. Different names therefore stay different: undoing %XX in what looks
 * escaped gives the name back.
 */
#include "trace/writer.h"

#include <errno.h>
#include <string.h>

enum { BUFFER_BYTES = 64 << 10, MOST_NUMBER = 16 };

struct writer {
    FILE *out;
    int error; /* errno of the first write that failed, or 0 */
    size_t used;
    struct mem mem;
    char buffer[BUFFER_BYTES];
};

static struct writer *open_std(FILE *out, bool closed_world)
{
    (void)closed_world; /* STD cannot say it */
    struct mem mem = {0};
    struct writer *writer = mem_alloc(&mem, sizeof *writer);
    writer->out = out;
    writer->mem = mem;
    return writer;
}

static void flush(struct writer *writer)
{
    if (writer->used > 0 && fwrite(writer->buffer, 1, writer->used, writer->out) != writer->used &&
        writer->error == 0)
        writer->error = errno;
    writer->used = 0;
}

static void put_text(struct writer *writer, const char *text, size_t length)
{
    while (unlikely(length > BUFFER_BYTES - writer->used)) {
        size_t part = BUFFER_BYTES - writer->used;
        memcpy(writer->buffer + writer->used, text, part);
        writer->used += part;
        text += part;
        length -= part;
        flush(writer);
    }
    memcpy(writer->buffer + writer->used, text, length);
    writer->used += length;
}

hot_inline void put_char(struct writer *writer, char c)
{
    if (unlikely(writer->used == BUFFER_BYTES))
        flush(writer);
    writer->buffer[writer->used++] = c;
}

/* May the byte not be where it is? first: in a thread's name, as its first byte. */
hot_inline bool is_foreign(unsigned char c, bool first)
{
    return c <= ' ' || c == 0x7f || c == '|' || (first && c == '#');
}

static int hex_digit(unsigned char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Is this a %XX that put_escaped could have written? */
static bool looks_escaped(const unsigned char *at, size_t left, bool first)
{
    if (left < 3 || *at != '%')
        return false;
    int high = hex_digit(at[1]), low = hex_digit(at[2]);
    if (high < 0 || low < 0)
        return false;
    unsigned char c = (unsigned char)(high << 4 | low);
    return c == '%' || is_foreign(c, first);
}

static bool needs_escape(struct name name, bool is_thread)
{
    const unsigned char *text = (const unsigned char *)name.text;
    for (size_t i = 0; i < name.length; i++) {
        bool first = is_thread && i == 0;
        if (is_foreign(text[i], first) || looks_escaped(text + i, name.length - i, first))
            return true;
    }
    return name.length == 0;
}

static cold_path void put_escaped(struct writer *writer, struct name name, bool is_thread)
{
    static const char digits[] = "0123456789ABCDEF";
    if (name.length == 0)
        put_text(writer, "%25", 3); /* no other name is written so: "%" needs no escape */
    for (size_t i = 0; i < name.length; i++) {
        unsigned char c = (unsigned char)name.text[i];
        if (!is_foreign(c, is_thread && i == 0) && c != '%') {
            put_char(writer, (char)c);
            continue;
        }
        put_char(writer, '%');
        put_char(writer, digits[c >> 4]);
        put_char(writer, digits[c & 15]);
    }
}

static void put_name(struct writer *writer, struct name name, bool is_thread)
{
    if (unlikely(needs_escape(name, is_thread)))
        put_escaped(writer, name, is_thread);
    else
        put_text(writer, name.text, name.length);
}

static void put_event(struct writer *writer, const struct names *names, const struct event *event)
{
    put_name(writer, names_get(names, NAME_THREAD, event->thread), true);
    put_char(writer, '|');
    put_text(writer, op_word[event->op], strlen(op_word[event->op]));
    if (event->target != NO_TARGET) {
        put_char(writer, '(');
        put_name(writer, names_get(names, op_operand[event->op], event->target),
                 op_operand[event->op] == NAME_THREAD);
        put_char(writer, ')');
    }
    put_char(writer, '|');
    char number[MOST_NUMBER];
    if (event->location == NO_LOCATION)
        put_text(writer, "-1", 2); /* RAPID wants a number */
    else
        put_name(writer, names_location(names, event->location, number), false);
    put_char(writer, '\n');
}

static bool put_std(struct writer *writer, const struct names *names, const struct event *events,
                    size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_event(writer, names, &events[i]);
    errno = writer->error;
    return writer->error == 0;
}

static bool finish_std(struct writer *writer)
{
    flush(writer);
    if (fflush(writer->out) != 0 && writer->error == 0)
        writer->error = errno;
    int error = writer->error;
    struct mem mem = writer->mem;
    mem_free(&mem, writer, sizeof *writer);
    errno = error;
    return error == 0;
}

const struct writer_format writer_std = {
    .name = "std",
    .ending = ".std",
    .open = open_std,
    .put = put_std,
    .finish = finish_std,
};
