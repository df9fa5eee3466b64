#include "report/fingerprint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "report/own_frame.h"

/* Without what the optimizer adds to the names of parts and copies of functions. */
static int name_length(const char *function)
{
    static const char *const endings[] = {" [clone ", ".constprop.", ".isra.", ".part.",
                                          ".cold",    ".lto_priv.",  ".llvm."};
    size_t length = strlen(function);
    for (size_t i = 0; i < array_length(endings); i++) {
        const char *at = strstr(function, endings[i]);
        if (at != NULL && (size_t)(at - function) < length)
            length = (size_t)(at - function);
    }
    return (int)length;
}

/* Compilers number lambdas ({lambda()#2}, $_1), and the numbers change with others of the function or file.
 * Where its place in the function around it is known, a lambda needs none. */
static bool is_lambda_number(const char *name, const char *at)
{
    return (at > name && at[-1] == '#') || (at > name + 1 && at[-1] == '_' && at[-2] == '$');
}

static void put_function(FILE *out, const struct live_frame *f)
{
    const char *name = f->function != NULL ? f->function : "?", *end = name + name_length(name);
    for (const char *at = name; at < end; at++) {
        if (f->nested && is_lambda_number(name, at))
            at += strspn(at, "0123456789");
        if (at < end)
            fputc(*at, out);
    }
    fputc('\n', out);
}

static void put_place(FILE *out, const struct live_frame *f)
{
    const char *slash = strrchr(f->file, '/');
    fputs(slash != NULL ? slash + 1 : f->file, out);
    if (f->function_line > 0 && f->line >= f->function_line)
        fprintf(out, "+%" PRIu32, f->line - f->function_line);
    fputc('\n', out);
}

/* The functions up to the program's own, and its place. */
static void put_stack(FILE *out, const struct live_stack *s)
{
    const struct live_frame *own = live_stack_own(s);
    for (size_t i = 0; i < s->count; i++) {
        put_function(out, &s->frame[i]);
        if (&s->frame[i] == own)
            break;
    }
    if (own != NULL)
        put_place(out, own);
}

/* What one access adds to the fingerprint; to be freed. `foreign`: it is that of a race without the program's
 * own code, where the thread says something, at least. */
static char *side(const struct live_access *a, bool foreign)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        tool_failed("out of memory");
    put_stack(out, &a->stack);
    if (foreign && a->thread != NULL)
        put_stack(out, &a->thread->stack);
    fclose(out);
    return text;
}

/* Of a variable; gcc numbers the static local ones of a file (count.3). */
static int variable_length(const char *name)
{
    int length = name_length(name), end = length;
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9')
        end--;
    return end > 1 && end < length && name[end - 1] == '.' ? end - 1 : length;
}

/* Which variable, or which kind of memory; of a heap block who allocated it, of a descriptor who opened it. Its length, too. */
static const char *memory(const struct live_location *l, int *length)
{
    static const char *const kinds[] = {"?", "global", "heap", "stack", "tls", "mapped", "descriptor"};
    bool made = l->place == LIVE_HEAP || l->place == LIVE_DESCRIPTOR;
    const struct live_frame *maker = made ? live_stack_own(&l->stack) : NULL;
    const char *name = l->place == LIVE_GLOBAL ? l->name : maker != NULL ? maker->function : NULL;
    if (name == NULL)
        name = kinds[l->place];
    *length = variable_length(name);
    return name;
}

/* Nothing of the program's own is in either stack: a library that is not instrumented made both accesses. */
static bool is_foreign(const struct live_race *r)
{
    return live_stack_own(&r->current.stack) == NULL && live_stack_own(&r->earlier.stack) == NULL;
}

/* Of a heap block in such a race which nobody of the program is known to have allocated, its size is all that
 * tells it from others. */
static uint64_t telling_size(const struct live_location *l, bool foreign)
{
    return foreign && l->place == LIVE_HEAP && live_stack_own(&l->stack) == NULL ? l->size : 0;
}

const char *live_race_fingerprint(const struct live_race *r, char text[FINGERPRINT_BYTES])
{
    bool foreign = is_foreign(r);
    char *one = side(&r->current, foreign), *other = side(&r->earlier, foreign);
    bool in_order = strcmp(one, other) <= 0;
    char *whole, size[24] = "";
    int name_size;
    const char *name = memory(&r->location, &name_size);
    if (telling_size(&r->location, foreign) > 0)
        snprintf(size, sizeof size, "\n%" PRIu64, telling_size(&r->location, foreign));
    int length =
        asprintf(&whole, "%s%s%.*s%s", in_order ? one : other, in_order ? other : one, name_size, name, size);
    if (length < 0)
        tool_failed("out of memory");
    snprintf(text, FINGERPRINT_BYTES, "%016" PRIx64, (uint64_t)XXH64(whole, (size_t)length, 0));
    free(one);
    free(other);
    free(whole);
    return text;
}
