#include "report/suppress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/show.h"

const char *suppression_type_name(enum suppression_type type)
{
    static const char *const name[] = {
#define X(name) #name,
        SUPPRESSION_TYPES(X)
#undef X
    };
    return name[type];
}

bool suppression_is_about_races(enum suppression_type type)
{
    return type <= SUPPRESS_called_from_lib;
}

/* --- reading --- */

static void add(struct suppressions *s, const struct suppression_line *line)
{
    struct suppression *new = pool_take(&s->pool, sizeof *new);
    new->type = line->type;
    new->pattern = pool_text(&s->pool, line->pattern, line->pattern_length);
    if (s->last == NULL)
        s->last = &s->first;
    *s->last = new;
    s->last = &new->next;
}

bool suppressions_add_text(struct suppressions *s, const char *text, size_t length, struct problem *problem)
{
    uint64_t number = 1;
    for (size_t at = 0; at < length; number++) {
        const char *end = memchr(text + at, '\n', length - at);
        size_t line_length = end != NULL ? (size_t)(end - text) - at : length - at;
        struct suppression_line line;
        switch (suppression_line_parse(text + at, line_length, &line)) {
        case SUPPRESSION_GOOD:
            add(s, &line);
            break;
        case SUPPRESSION_BAD:
            return problem_set(problem, number, "not a suppression (%s): %.*s", line.problem,
                               (int)min_size(line_length, 100), text + at);
        case SUPPRESSION_NONE:
            break;
        }
        at += line_length + 1;
    }
    return true;
}

static FILE *open_in(const char *directory, const char *path)
{
    struct pool pool = {0};
    FILE *file = fopen(pool_format(&pool, "%s/%s", directory, path), "re");
    pool_free(&pool);
    return file;
}

/* The whole file, in memory that the caller frees, of `capacity` bytes. */
static char *read_text(FILE *file, struct mem *mem, size_t *capacity, size_t *length, struct problem *problem)
{
    char *text = NULL;
    size_t got;
    *capacity = *length = 0;
    do {
        text = mem_reserve(mem, text, 1, capacity, *length + 4096);
        got = fread(text + *length, 1, *capacity - *length, file);
        *length += got;
    } while (got > 0 && *length <= SUPPRESSIONS_MOST_BYTES);
    if (*length > SUPPRESSIONS_MOST_BYTES)
        problem_set(problem, 0, "more than %d MiB: not a file of suppressions",
                    SUPPRESSIONS_MOST_BYTES >> 20);
    else if (ferror(file))
        problem_set(problem, 0, "cannot read: %s", strerror(errno));
    else
        return text;
    mem_free(mem, text, *capacity);
    return NULL;
}

bool suppressions_add_file(struct suppressions *s, const char *path, const char *directory,
                           struct problem *problem)
{
    FILE *file = fopen(path, "re");
    if (file == NULL && path[0] != '/' && directory != NULL)
        file = open_in(directory, path);
    if (file == NULL)
        return problem_set(problem, 0, "cannot open: %s", strerror(errno));
    struct mem mem = {0};
    size_t capacity, length;
    char *text = read_text(file, &mem, &capacity, &length, problem);
    fclose(file);
    if (text == NULL)
        return false;
    bool good = suppressions_add_text(s, text, length, problem);
    mem_free(&mem, text, capacity);
    return good;
}

void suppressions_free(struct suppressions *s)
{
    pool_free(&s->pool);
    *s = (struct suppressions){.first = NULL};
}

/* --- matching --- */

/* The pattern from here on against the whole text; at its end, `open` lets anything follow. */
static bool matches_from(const char *pattern, const char *end, bool open, const char *text)
{
    const char *star = NULL, *retry = NULL;
    for (;;) {
        if (pattern < end && *pattern == '*') {
            star = ++pattern;
            retry = text;
        } else if (pattern == end && (open || *text == '\0')) {
            return true;
        } else if (pattern < end && *text != '\0' && *pattern == *text) {
            pattern++;
            text++;
        } else if (star != NULL && *retry != '\0') { /* let the last star take one more */
            pattern = star;
            text = ++retry;
        } else {
            return false;
        }
    }
}

static bool text_matches(const char *pattern, const char *text)
{
    size_t length = strlen(pattern);
    bool at_start = length > 0 && pattern[0] == '^', at_end = length > 0 && pattern[length - 1] == '$';
    const char *end = pattern + length - (at_end ? 1 : 0);
    pattern += at_start ? 1 : 0;
    if (pattern >= end)
        return true;
    if (at_start)
        return matches_from(pattern, end, !at_end, text);
    for (; *text != '\0'; text++)
        if (matches_from(pattern, end, !at_end, text))
            return true;
    return false;
}

/* As reports show it, if that is something else: a pattern cannot have a line end in it. */
static bool shown_matches(const char *pattern, const char *text)
{
    struct name name = {text, (uint32_t)strlen(text)};
    struct mem mem = {0};
    size_t length;
    if (name_is_printable(name))
        return false;
    char *shown = show_name(&mem, name, &length);
    shown[length] = '\0';
    bool matches = text_matches(pattern, shown);
    mem_free(&mem, shown, SHOWN_BYTES(name));
    return matches;
}

bool suppression_template_matches(const char *pattern, const char *text)
{
    if (text == NULL || text[0] == '\0')
        return false;
    return text_matches(pattern, text) || shown_matches(pattern, text);
}

static bool frame_matches(const char *pattern, const struct live_frame *f)
{
    return suppression_template_matches(pattern, f->function) ||
           suppression_template_matches(pattern, f->file) || suppression_template_matches(pattern, f->module);
}

static bool stack_matches(const char *pattern, const struct live_stack *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (frame_matches(pattern, &s->frame[i]))
            return true;
    return false;
}

static bool anything_matches(const char *pattern, const struct live_race *r)
{
    if (stack_matches(pattern, &r->current.stack) || stack_matches(pattern, &r->earlier.stack))
        return true;
    for (size_t i = 0; i < r->thread_count; i++)
        if (stack_matches(pattern, &r->thread[i].stack))
            return true;
    return r->location.place == LIVE_GLOBAL && (suppression_template_matches(pattern, r->location.name) ||
                                                suppression_template_matches(pattern, r->location.module));
}

static bool top_matches(const char *pattern, const struct live_access *a)
{
    return a->stack.count > 0 && frame_matches(pattern, &a->stack.frame[0]);
}

/* The innermost frame in a file: the caller, where the access is one of libc's functions. */
static bool caller_matches(const char *pattern, const struct live_access *a)
{
    for (size_t i = 0; i < a->stack.count; i++)
        if (a->stack.frame[i].module != NULL)
            return suppression_template_matches(pattern, a->stack.frame[i].module);
    return false;
}

/* --- race_pair: INNER <- CALLER <- ... <-> INNER <- ... on VARIABLE, or allocated in INNER <- ... --- */

static const char pair_mark[] = " <-> ", caller_mark[] = " <- ", variable_mark[] = " on ",
                  allocated_mark[] = " allocated in ";

/* Takes the text before the next mark, into the pool; *rest is what follows, NULL: nothing does. */
static const char *part(struct pool *pool, const char *text, const char *mark, const char **rest)
{
    const char *found = strstr(text, mark);
    *rest = found != NULL ? found + strlen(mark) : NULL;
    return pool_text(pool, text, found != NULL ? (size_t)(found - text) : strlen(text));
}

/* The innermost frames, one template each. A star alone: whatever the stack is, even unknown. */
static bool side_matches(struct pool *pool, const char *side, const struct live_stack *stack)
{
    if (strcmp(side, "*") == 0)
        return true;
    for (size_t i = 0; side != NULL; i++) {
        const char *frame = part(pool, side, caller_mark, &side);
        if (i >= stack->count || !frame_matches(frame, &stack->frame[i]))
            return false;
    }
    return true;
}

static bool pair_matches(const char *pattern, const struct live_race *r)
{
    struct pool pool = {0};
    const char *second, *variable, *allocated;
    const struct live_location *l = &r->location;
    const char *first = part(&pool, pattern, pair_mark, &second);
    const struct live_stack *a = &r->current.stack, *b = &r->earlier.stack;
    bool good = second != NULL;
    if (good) {
        second = part(&pool, second, allocated_mark, &allocated);
        second = part(&pool, second, variable_mark, &variable);
        good = (side_matches(&pool, first, a) && side_matches(&pool, second, b)) ||
               (side_matches(&pool, first, b) && side_matches(&pool, second, a));
        good = good && (variable == NULL ||
                        (l->place == LIVE_GLOBAL && suppression_template_matches(variable, l->name)));
        good = good &&
               (allocated == NULL || (l->place == LIVE_HEAP && side_matches(&pool, allocated, &l->stack)));
    }
    pool_free(&pool);
    return good;
}

static void put_frame(FILE *out, const struct live_frame *f)
{
    const char *slash = f->module != NULL ? strrchr(f->module, '/') : NULL;
    if (f->function != NULL)
        fprintf(out, "^%s$", f->function);
    else
        fprintf(out, "%s$", slash != NULL ? slash : f->module != NULL ? f->module : "*");
}

static void put_side(FILE *out, const struct live_stack *stack)
{
    enum { MOST_FRAMES = 12 };
    if (stack->count == 0)
        fputc('*', out);
    for (size_t i = 0; i < stack->count && i < MOST_FRAMES; i++) {
        fputs(i > 0 ? caller_mark : "", out);
        put_frame(out, &stack->frame[i]);
    }
}

void suppression_write(const struct live_race *r, FILE *out)
{
    fprintf(out, "%s:", suppression_type_name(SUPPRESS_race_pair));
    put_side(out, &r->current.stack);
    fputs(pair_mark, out);
    put_side(out, &r->earlier.stack);
    if (r->location.place == LIVE_GLOBAL && r->location.name != NULL)
        fprintf(out, "%s^%s$", variable_mark, r->location.name);
    if (r->location.place == LIVE_HEAP && r->location.stack.count > 0) {
        fputs(allocated_mark, out);
        put_side(out, &r->location.stack);
    }
    fputc('\n', out);
}

static bool matches(const struct suppression *s, const struct live_race *r)
{
    switch (s->type) {
    case SUPPRESS_race:
        return anything_matches(s->pattern, r);
    case SUPPRESS_race_top:
        return top_matches(s->pattern, &r->current) || top_matches(s->pattern, &r->earlier);
    case SUPPRESS_race_pair:
        return pair_matches(s->pattern, r);
    case SUPPRESS_called_from_lib:
        return caller_matches(s->pattern, &r->current) || caller_matches(s->pattern, &r->earlier);
    default:
        return false;
    }
}

const struct suppression *suppressions_match(struct suppressions *s, const struct live_race *race)
{
    for (struct suppression *one = s->first; one != NULL; one = one->next)
        if (matches(one, race)) {
            one->hits++;
            return one;
        }
    return NULL;
}
