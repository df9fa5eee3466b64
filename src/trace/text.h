/* Small scans that the text formats share. A line given to them ends at a byte that no name contains
 * (trace/source.h), which is what stops the scans that take no length. */
#pragma once

#include "trace/reader.h"

hot_inline bool text_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Neither a blank nor a control character. */
hot_inline bool text_is_plain(char c)
{
    return (uint8_t)c > ' ' && c != 0x7f;
}

hot_inline const char *text_skip_blanks(const char *at)
{
    while (unlikely(text_is_blank(*at)))
        at++;
    return at;
}

hot_inline struct name text_between(const char *from, const char *to)
{
    return (struct name){.text = from, .length = (uint32_t)(to - from)};
}

/* word(operand), or a word alone. */
struct text_call {
    struct name word, operand;
    bool has_operand; /* has parentheses, that is */
};

/* The operand is what stands between the first '(' and the last ')', which ends the field. False where there
 * is a '(' but the field ends otherwise. */
hot_inline bool text_split_call(struct name field, struct text_call *call)
{
    const char *end = field.text + field.length, *open = field.text;
    while (open < end && *open != '(')
        open++;
    call->word = text_between(field.text, open);
    call->operand = text_between(end, end);
    call->has_operand = open < end;
    if (!call->has_operand)
        return true;
    if (end[-1] != ')')
        return false;
    call->operand = text_between(open + 1, end - 1);
    return true;
}

/* Does the call have the operand that its op needs? Only notes may do without. */
hot_inline bool text_has_operand(struct reader *reader, enum op op, const struct text_call *call)
{
    if (likely(call->operand.length > 0) || op_operand[op] == NAME_NOTE)
        return true;
    return problem_set(&reader->problem, reader->line, "%s needs an operand: %s(...)", op_word[op],
                       op_word[op]);
}

/* The op that a word of STD means; false where it means none. */
bool text_op(struct name word, enum op *op);

/* Refuses the current line. The quoted text is cut to a readable length. */
bool text_refuse(struct reader *reader, const char *reason, struct name quoted);

/* Refuses the current line for an operation that STD does not know, and names those that it does. */
bool text_refuse_op(struct reader *reader, struct name word);

/* Refuses the current line for a byte that cannot be in a name. */
bool text_refuse_byte(struct reader *reader, char byte);

/* For recognising a format: the next line from *at on that is neither blank nor a comment, trimmed. False
 * where the head holds none. *whole: the line ends inside the head. */
bool text_next_line(const char **at, const char *end, struct name *line, bool *whole);
