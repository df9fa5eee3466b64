#include "runtime/intercept/libc_format.h"

#include <string.h>
#include <wchar.h>

/* --- reading a format --- */

enum length { PLAIN, CHARS, SHORT, LONG, LONG_LONG, LONG_DOUBLE };

struct format {
    const void *text;
    bool wide;
    size_t at;
    unsigned next; /* argument that has no number */
};

enum { NONE = -1 };

struct conversion {
    uint32_t letter;
    enum length length;
    int width, precision;                             /* NONE: none is given */
    int argument, width_argument, precision_argument; /* numbers, or NONE */
    bool suppressed, allocates;                       /* scanf's * and m */
    bool after_text; /* there was something in front that input has to match */
};

static uint32_t letter_at(const struct format *f, size_t at)
{
    return f->wide ? (uint32_t)((const wchar_t *)f->text)[at] : ((const unsigned char *)f->text)[at];
}

static bool is_one_of(uint32_t letter, const char *set)
{
    while (*set != '\0' && (unsigned char)*set != letter)
        set++;
    return *set != '\0';
}

static bool skip(struct format *f, const char *set)
{
    bool found = is_one_of(letter_at(f, f->at), set);
    f->at += found;
    return found;
}

/* The number there, or NONE. */
static int number(struct format *f)
{
    enum { MOST = 100000000 };
    int n = NONE;
    for (uint32_t c; (c = letter_at(f, f->at)) >= '0' && c <= '9'; f->at++)
        n = n == NONE ? (int)(c - '0') : n < MOST ? 10 * n + (int)(c - '0') : n;
    return n;
}

/* "3$", or NONE and nothing is read. */
static int position(struct format *f)
{
    size_t before = f->at;
    int n = number(f);
    if (n > 0 && skip(f, "$"))
        return n - 1;
    f->at = before;
    return NONE;
}

/* Of '*', which was read. */
static int star_argument(struct format *f)
{
    int given = position(f);
    return given != NONE ? given : (int)f->next++;
}

static enum length length_modifier(struct format *f)
{
    if (skip(f, "h"))
        return skip(f, "h") ? CHARS : SHORT;
    if (skip(f, "l"))
        return skip(f, "l") ? LONG_LONG : LONG;
    if (skip(f, "L"))
        return LONG_DOUBLE;
    return skip(f, "qjzZt") ? LONG_LONG : PLAIN;
}

/* To the next '%', which is read, too. False: there is none. */
static bool next_percent(struct format *f, struct conversion *c)
{
    for (uint32_t letter; (letter = letter_at(f, f->at)) != 0;) {
        f->at++;
        if (letter == '%')
            return true;
        if (!is_one_of(letter, " \t\n\v\f\r"))
            c->after_text = true;
    }
    return false;
}

static void finish(struct format *f, struct conversion *c, int given, bool takes_argument)
{
    c->length = length_modifier(f);
    c->letter = letter_at(f, f->at);
    f->at += c->letter != 0;
    if (takes_argument && !is_one_of(c->letter, "%m") && c->letter != 0)
        c->argument = given != NONE ? given : (int)f->next++;
}

static const struct conversion nothing = {
    .width = NONE, .precision = NONE, .argument = NONE, .width_argument = NONE, .precision_argument = NONE};

static bool next_printed(struct format *f, struct conversion *c)
{
    *c = nothing;
    if (!next_percent(f, c))
        return false;
    int given = position(f);
    while (skip(f, "-+ #0'I"))
        ;
    if (skip(f, "*"))
        c->width_argument = star_argument(f);
    else
        number(f);
    if (skip(f, ".")) {
        if (skip(f, "*"))
            c->precision_argument = star_argument(f);
        else if ((c->precision = number(f)) == NONE)
            c->precision = 0;
    }
    finish(f, c, given, true);
    return c->letter != 0;
}

/* Behind the '[', behind the ']'. */
static void skip_set(struct format *f)
{
    skip(f, "^");
    skip(f, "]");
    while (letter_at(f, f->at) != 0 && letter_at(f, f->at) != ']')
        f->at++;
    f->at += letter_at(f, f->at) != 0;
}

static bool next_scanned(struct format *f, struct conversion *c)
{
    *c = nothing;
    if (!next_percent(f, c))
        return false;
    int given = position(f);
    for (;;) {
        if (skip(f, "*"))
            c->suppressed = true;
        else if (!skip(f, "'I"))
            break;
    }
    c->width = number(f);
    c->allocates = skip(f, "m");
    finish(f, c, given, !c->suppressed);
    if (c->letter == '[')
        skip_set(f);
    return c->letter != 0;
}

static size_t string_bytes(const void *s, bool wide)
{
    return wide ? (REAL(wcslen)(s) + 1) * sizeof(wchar_t) : REAL(strlen)(s) + 1;
}

static bool is_wide(const struct conversion *c)
{
    return c->letter == 'S' || c->letter == 'C' || c->length == LONG;
}

static size_t integer_bytes(const struct conversion *c)
{
    switch (c->length) {
    case CHARS:
        return sizeof(char);
    case SHORT:
        return sizeof(short);
    case PLAIN:
        return sizeof(int);
    default:
        return sizeof(long);
    }
}

/* --- printf --- */

enum type { TYPE_UNKNOWN, TYPE_INT, TYPE_LONG, TYPE_DOUBLE, TYPE_LONG_DOUBLE, TYPE_POINTER };

static enum type printed_type(const struct conversion *c)
{
    if (is_one_of(c->letter, "diouxXbB"))
        return c->length >= LONG ? TYPE_LONG : TYPE_INT;
    if (is_one_of(c->letter, "cC"))
        return TYPE_INT;
    if (is_one_of(c->letter, "aAeEfFgG"))
        return c->length >= LONG_LONG ? TYPE_LONG_DOUBLE : TYPE_DOUBLE;
    return is_one_of(c->letter, "sSpn") ? TYPE_POINTER : TYPE_UNKNOWN;
}

struct arguments {
    unsigned count;
    uint8_t type[FORMAT_ARGUMENTS];
    union {
        long integer;
        const void *pointer;
    } value[FORMAT_ARGUMENTS];
};

/* False: too many. */
static bool note_type(struct arguments *all, int number, enum type type)
{
    if (number == NONE)
        return true;
    if (number >= FORMAT_ARGUMENTS)
        return false;
    while (all->count <= (unsigned)number)
        all->type[all->count++] = TYPE_INT; /* one that nothing is said about */
    all->type[number] = (uint8_t)type;
    return true;
}

static bool note_types(struct arguments *all, const struct conversion *c)
{
    enum type type = printed_type(c);
    return (c->argument == NONE || type != TYPE_UNKNOWN) && note_type(all, c->width_argument, TYPE_INT) &&
           note_type(all, c->precision_argument, TYPE_INT) && note_type(all, c->argument, type);
}

static void take_values(struct arguments *all, va_list list)
{
    for (unsigned i = 0; i < all->count; i++)
        switch (all->type[i]) {
        case TYPE_INT:
            all->value[i].integer = va_arg(list, int);
            break;
        case TYPE_LONG:
            all->value[i].integer = va_arg(list, long);
            break;
        case TYPE_DOUBLE:
            (void)va_arg(list, double);
            break;
        case TYPE_LONG_DOUBLE:
            (void)va_arg(list, long double);
            break;
        default:
            all->value[i].pointer = va_arg(list, const void *);
            break;
        }
}

/* A precision limits characters of output. Each is made of one byte at least; but how many are made of one
 * wide character is not known here: of those, only the first is certain. */
static void string_printed(const struct conversion *c, const void *s, int precision, uintptr_t pc)
{
    if (s == NULL) /* "(null)" */
        return;
    if (precision < 0) {
        libc_range(s, string_bytes(s, is_wide(c)), PLAIN_READ, pc);
    } else if (is_wide(c)) {
        libc_range(s, precision > 0 ? sizeof(wchar_t) : 0, PLAIN_READ, pc);
    } else {
        size_t most = (size_t)precision, n = REAL(strnlen)(s, most);
        libc_range(s, n < most ? n + 1 : n, PLAIN_READ, pc);
    }
}

static void printed(const struct conversion *c, const struct arguments *all, uintptr_t pc)
{
    int precision =
        c->precision_argument != NONE ? (int)all->value[c->precision_argument].integer : c->precision;
    if (c->letter == 's' || c->letter == 'S')
        string_printed(c, all->value[c->argument].pointer, precision, pc);
    else if (c->letter == 'n')
        libc_range(all->value[c->argument].pointer, integer_bytes(c), PLAIN_WRITE, pc);
}

void format_printed(const void *format, bool wide, va_list list, uintptr_t pc)
{
    struct format f = {.text = format, .wide = wide};
    struct conversion c;
    struct arguments all;
    unsigned known = 0;
    bool strings = false;
    all.count = 0;
    while (next_printed(&f, &c) && note_types(&all, &c)) {
        known++;
        strings |= is_one_of(c.letter, "sSn");
    }
    if (!strings)
        return;
    take_values(&all, list);
    for (f = (struct format){.text = format, .wide = wide}; known > 0 && next_printed(&f, &c); known--)
        printed(&c, &all, pc);
}

/* --- scanf --- */

static void string_scanned(const struct conversion *c, void *to, uintptr_t pc)
{
    bool one = c->letter == 'c' || c->letter == 'C';
    if (c->allocates) {
        libc_range(to, sizeof(void *), PLAIN_WRITE, pc);
        to = *(void **)to;
    }
    size_t size = one ? (c->width != NONE ? (size_t)c->width : 1) * (is_wide(c) ? sizeof(wchar_t) : 1)
                      : string_bytes(to, is_wide(c));
    libc_range(to, size, PLAIN_WRITE, pc);
}

static void scanned(const struct conversion *c, void *to, uintptr_t pc)
{
    if (is_one_of(c->letter, "sScC["))
        string_scanned(c, to, pc);
    else if (is_one_of(c->letter, "aAeEfFgG"))
        libc_range(to,
                   c->length >= LONG_LONG ? sizeof(long double)
                   : c->length == LONG    ? sizeof(double)
                                          : sizeof(float),
                   PLAIN_WRITE, pc);
    else
        libc_range(to, c->letter == 'p' ? sizeof(void *) : integer_bytes(c), PLAIN_WRITE, pc);
}

static bool is_scanned(const struct conversion *c)
{
    return is_one_of(c->letter, "diouxXbBaAeEfFgGsScC[pn");
}

/* How many arguments the format speaks of, all of them pointers. */
static unsigned count_scanned(const void *format, bool wide)
{
    struct format f = {.text = format, .wide = wide};
    struct conversion c;
    unsigned count = 0;
    while (next_scanned(&f, &c) && (c.argument == NONE || is_scanned(&c)) && c.argument < FORMAT_ARGUMENTS)
        if ((unsigned)(c.argument + 1) > count)
            count = (unsigned)(c.argument + 1);
    return count;
}

/* `assigned` does not count %n: it was stored to if something behind it was, or if it directly follows
 * something that was. */
void format_scanned(const void *format, bool wide, va_list list, int assigned, uintptr_t pc)
{
    struct format f = {.text = format, .wide = wide};
    struct conversion c;
    void *pointer[FORMAT_ARGUMENTS];
    unsigned count = count_scanned(format, wide);
    bool reached = assigned >= 0;
    for (unsigned i = 0; i < count; i++)
        pointer[i] = va_arg(list, void *);
    while (next_scanned(&f, &c) && c.argument < (int)count) {
        reached &= !c.after_text;
        if (c.argument == NONE) {
            reached = false;
        } else if (c.letter == 'n') {
            if (assigned > 0 || reached)
                scanned(&c, pointer[c.argument], pc);
        } else if (assigned-- > 0) {
            scanned(&c, pointer[c.argument], pc);
            reached = true;
        } else {
            return;
        }
    }
}
