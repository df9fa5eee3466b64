#include "report/options.h"

enum kind { IS_FLAG, IS_NUMBER, IS_TEXT, IS_ACCEPTED };

static const struct option {
    const char *name;
    enum kind kind;
    size_t offset;
} options_table[] = {
#define FLAG(name, value, help)   {#name, IS_FLAG, offsetof(struct options, name)},
#define NUMBER(name, value, help) {#name, IS_NUMBER, offsetof(struct options, name)},
#define TEXT(name, value, help)   {#name, IS_TEXT, offsetof(struct options, name)},
    OPTIONS(FLAG, NUMBER, TEXT)
#undef FLAG
#undef NUMBER
#undef TEXT
#define X(name) {#name, IS_ACCEPTED, 0},
        OPTIONS_ACCEPTED(X)
#undef X
};

static const char *const help_lines[] = {
#define FLAG(name, value, help)   #name "=" #value ": " help,
#define NUMBER(name, value, help) #name "=" #value ": " help,
#define TEXT(name, value, help)   #name "=" value ": " help,
    OPTIONS(FLAG, NUMBER, TEXT)
#undef FLAG
#undef NUMBER
#undef TEXT
};

/* A piece of the text. */
struct piece {
    const char *at;
    size_t length;
};

static void copy(char *to, size_t capacity, struct piece from)
{
    size_t i = 0;
    for (; i < from.length && i + 1 < capacity; i++)
        to[i] = from.at[i];
    to[i] = '\0';
}

static size_t length_of(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0')
        length++;
    return length;
}

static bool is(struct piece piece, const char *word)
{
    size_t i = 0;
    while (i < piece.length && word[i] == piece.at[i]) /* the word's end is no part of a piece */
        i++;
    return i == piece.length && word[i] == '\0';
}

void options_default(struct options *o)
{
#define FLAG(name, value, help)   o->name = value;
#define NUMBER(name, value, help) o->name = value;
#define TEXT(name, value, help)   copy(o->name, OPTION_BYTES, (struct piece){value, sizeof value - 1});
    OPTIONS(FLAG, NUMBER, TEXT)
#undef FLAG
#undef NUMBER
#undef TEXT
}

const char *options_help_line(size_t index)
{
    return index < array_length(help_lines) ? help_lines[index] : NULL;
}

/* --- values --- */

static bool set_flag(bool *flag, struct piece value)
{
    bool yes = is(value, "1") || is(value, "true") || is(value, "yes");
    if (!yes && !is(value, "0") && !is(value, "false") && !is(value, "no"))
        return false;
    *flag = yes;
    return true;
}

static bool set_number(int *number, struct piece value)
{
    bool negative = value.length > 0 && value.at[0] == '-';
    int64_t n = 0;
    size_t i = negative;
    for (; i < value.length && value.at[i] >= '0' && value.at[i] <= '9' && n <= INT32_MAX; i++)
        n = n * 10 + (value.at[i] - '0');
    if (i != value.length || i == (size_t)negative || n > INT32_MAX)
        return false;
    *number = (int)(negative ? -n : n);
    return true;
}

static bool set(struct options *o, const struct option *option, struct piece value)
{
    void *field = (char *)o + option->offset;
    switch (option->kind) {
    case IS_FLAG:
        return set_flag(field, value);
    case IS_NUMBER:
        return set_number(field, value);
    case IS_TEXT:
        copy(field, OPTION_BYTES, value);
        return value.length < OPTION_BYTES;
    case IS_ACCEPTED:
        return true;
    }
    return true;
}

/* --- the text --- */

static bool is_separator(char c)
{
    return c == ' ' || c == ',' || c == ':' || c == '\n' || c == '\r' || c == '\t';
}

static struct piece take_name(const char **text)
{
    struct piece name = {*text, 0};
    while (**text != '\0' && **text != '=' && !is_separator(**text))
        (*text)++;
    name.length = (size_t)(*text - name.at);
    return name;
}

static struct piece take_value(const char **text)
{
    char quote = **text == '"' || **text == '\'' ? *(*text)++ : '\0';
    struct piece value = {*text, 0};
    while (**text != '\0' && (quote != '\0' ? **text != quote : !is_separator(**text)))
        (*text)++;
    value.length = (size_t)(*text - value.at);
    if (quote != '\0' && **text == quote)
        (*text)++;
    return value;
}

static void add_unknown(struct options_problem *problem, struct piece name)
{
    size_t used = length_of(problem->unknown);
    if (used + name.length + 3 > sizeof problem->unknown)
        return; /* the line is long enough already */
    if (used > 0) {
        copy(problem->unknown + used, 3, (struct piece){", ", 2});
        used += 2;
    }
    copy(problem->unknown + used, sizeof problem->unknown - used, name);
}

static const struct option *find(struct piece name)
{
    for (size_t i = 0; i < array_length(options_table); i++)
        if (is(name, options_table[i].name))
            return &options_table[i];
    return NULL;
}

void options_parse(struct options *o, const char *text, struct options_problem *problem)
{
    for (;;) {
        while (is_separator(*text))
            text++;
        if (*text == '\0')
            return;
        const char *start = text;
        struct piece name = take_name(&text), value = {text, 0};
        bool has_value = *text == '=';
        if (has_value) {
            text++;
            value = take_value(&text);
        }
        const struct option *option = find(name);
        if (option == NULL)
            add_unknown(problem, name);
        else if ((!has_value || !set(o, option, value)) && problem->bad[0] == '\0')
            copy(problem->bad, sizeof problem->bad, (struct piece){start, (size_t)(text - start)});
    }
}
