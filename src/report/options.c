#include "report/options.h"

#include "base/nearest.h"

enum kind { IS_FLAG, IS_NUMBER, IS_WORD, IS_TEXT, IS_ACCEPTED };

static const struct option {
    const char *name;
    enum kind kind;
    size_t offset;
    int least, most;    /* of a number */
    const char *wanted; /* the values there are; of a word it is the list of them, separated by ", " */
} options_table[] = {
#define FLAG(name, value, help) {#name, IS_FLAG, offsetof(struct options, name), 0, 1, "0 or 1"},
#define NUMBER(name, value, least, most, help)                                                               \
    {#name, IS_NUMBER, offsetof(struct options, name), least, most, #least " to " #most},
#define WORD(name, value, words, help) {#name, IS_WORD, offsetof(struct options, name), 0, 0, words},
#define TEXT(name, value, help)        {#name, IS_TEXT, offsetof(struct options, name), 0, 0, ""},
    OPTIONS(FLAG, NUMBER, WORD, TEXT)
#undef FLAG
#undef NUMBER
#undef WORD
#undef TEXT
#define X(name) {#name, IS_ACCEPTED, 0, 0, 0, ""},
        OPTIONS_ACCEPTED(X)
#undef X
};

static const char *const help_lines[] = {
#define FLAG(name, value, help)                #name "=" #value ": " help,
#define NUMBER(name, value, least, most, help) #name "=" #value ": " help,
#define WORD(name, value, words, help)         #name "=" value ": " help,
#define TEXT(name, value, help)                #name "=" value ": " help,
    OPTIONS(FLAG, NUMBER, WORD, TEXT)
#undef FLAG
#undef NUMBER
#undef WORD
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

/* What does not fit is cut off. */
static void add(char *to, size_t capacity, struct piece from)
{
    size_t used = length_of(to);
    copy(to + used, capacity - used, from);
}

static void add_word(char *to, size_t capacity, const char *word)
{
    add(to, capacity, (struct piece){word, length_of(word)});
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
#define FLAG(name, value, help)                o->name = value;
#define NUMBER(name, value, least, most, help) o->name = value;
#define WORD(name, value, words, help)         TEXT(name, value, help)
#define TEXT(name, value, help)                copy(o->name, OPTION_BYTES, (struct piece){value, sizeof value - 1});
    OPTIONS(FLAG, NUMBER, WORD, TEXT)
#undef FLAG
#undef NUMBER
#undef WORD
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

static bool set_number(int *number, struct piece value, const struct option *option)
{
    bool negative = value.length > 0 && value.at[0] == '-';
    int64_t n = 0;
    size_t i = negative;
    for (; i < value.length && value.at[i] >= '0' && value.at[i] <= '9' && n <= INT32_MAX; i++)
        n = n * 10 + (value.at[i] - '0');
    if (i != value.length || i == (size_t)negative || n > INT32_MAX)
        return false;
    n = negative ? -n : n;
    if (n < option->least || n > option->most)
        return false;
    *number = (int)n;
    return true;
}

static bool set_text(char *text, struct piece value)
{
    copy(text, OPTION_BYTES, value);
    return value.length < OPTION_BYTES;
}

/* words: "auto, always, never" */
static bool is_one_of(const char *words, struct piece value)
{
    while (*words != '\0') {
        size_t length = 0;
        while (words[length] != '\0' && words[length] != ',')
            length++;
        size_t i = 0;
        while (i < length && i < value.length && words[i] == value.at[i])
            i++;
        if (i == length && i == value.length)
            return true;
        words += length + (words[length] == ',' ? 2 : 0);
    }
    return false;
}

static bool set(struct options *o, const struct option *option, struct piece value)
{
    void *field = (char *)o + option->offset;
    switch (option->kind) {
    case IS_FLAG:
        return set_flag(field, value);
    case IS_NUMBER:
        return set_number(field, value, option);
    case IS_WORD:
        return is_one_of(option->wanted, value) && set_text(field, value);
    case IS_TEXT:
        return set_text(field, value);
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

/* Those that do something. */
static const char *nearest_name(struct piece name)
{
    struct nearest n = {.wanted = name.at, .length = name.length};
    for (size_t i = 0; i < array_length(options_table); i++)
        if (options_table[i].kind != IS_ACCEPTED)
            nearest_consider(&n, options_table[i].name);
    return n.name;
}

static void add_unknown(struct options_problem *problem, struct piece name)
{
    static const char before[] = " (did you mean ", after[] = "?)";
    const char *meant = nearest_name(name);
    size_t used = length_of(problem->unknown), room = sizeof problem->unknown;
    size_t more = meant != NULL ? sizeof before + length_of(meant) + sizeof after : 0;
    if (used + name.length + more + 3 > room)
        return; /* the line is long enough already */
    add_word(problem->unknown, room, used > 0 ? ", " : "");
    add(problem->unknown, room, name);
    if (meant == NULL)
        return;
    add_word(problem->unknown, room, before);
    add_word(problem->unknown, room, meant);
    add_word(problem->unknown, room, after);
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
        else if ((!has_value || !set(o, option, value)) && problem->bad[0] == '\0') {
            add(problem->bad, sizeof problem->bad, (struct piece){start, (size_t)(text - start)});
            add_word(problem->bad, sizeof problem->bad, option->wanted[0] != '\0' ? "; it is " : "");
            add_word(problem->bad, sizeof problem->bad, option->wanted);
        }
    }
}
