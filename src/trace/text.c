#include "trace/text.h"

#include <stdio.h>
#include <string.h>

bool text_op(struct name word, enum op *op)
{
    for (unsigned i = 0; i < OP_COUNT; i++)
        if (op_word[i][0] == word.text[0] && strlen(op_word[i]) == word.length &&
            memcmp(op_word[i], word.text, word.length) == 0) {
            *op = i;
            return true;
        }
    return false;
}

bool text_refuse(struct reader *reader, const char *reason, struct name quoted)
{
    enum { MOST_QUOTED = 60 };
    bool cut = quoted.length > MOST_QUOTED;
    return problem_set(&reader->problem, reader->line, "%s \"%.*s%s\"", reason,
                       (int)(cut ? MOST_QUOTED : quoted.length), quoted.text, cut ? "..." : "");
}

bool text_refuse_op(struct reader *reader, struct name word)
{
    char known[128];
    size_t length = 0;
    for (unsigned i = 0; i < OP_COUNT; i++)
        length +=
            (size_t)snprintf(known + length, sizeof known - length, "%s%s", i > 0 ? " " : "", op_word[i]);
    int shown = (int)min_size(word.length, 40);
    return problem_set(&reader->problem, reader->line, "unknown operation \"%.*s\" (known: %s)", shown,
                       word.text, known);
}

bool text_refuse_byte(struct reader *reader, char byte)
{
    if (text_is_blank(byte))
        return problem_set(&reader->problem, reader->line, "blank in a name");
    return problem_set(&reader->problem, reader->line, "control character 0x%02x in a name", (uint8_t)byte);
}

static bool is_space(char c)
{
    return text_is_blank(c) || c == '\r';
}

bool text_next_line(const char **at, const char *end, struct name *line, bool *whole)
{
    while (*at < end) {
        const char *start = *at, *newline = memchr(start, '\n', (size_t)(end - start));
        const char *stop = newline != NULL ? newline : end;
        *at = newline != NULL ? newline + 1 : end;
        *whole = newline != NULL;
        while (start < stop && is_space(*start))
            start++;
        while (stop > start && is_space(stop[-1]))
            stop--;
        if (start == stop || *start == '#')
            continue;
        *line = text_between(start, stop);
        return true;
    }
    return false;
}
