#include "report/fingerprint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static bool is_systems(const char *file)
{
    static const char *const places[] = {"/usr/include/", "/usr/lib/", "/lib/"};
    for (size_t i = 0; i < array_length(places); i++)
        if (strncmp(file, places[i], strlen(places[i])) == 0)
            return true;
    return false;
}

const struct live_frame *live_stack_own(const struct live_stack *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->frame[i].file != NULL && !is_systems(s->frame[i].file))
            return &s->frame[i];
    return NULL;
}

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

static void put_function(FILE *out, const struct live_frame *f)
{
    if (f->function != NULL)
        fprintf(out, "%.*s\n", name_length(f->function), f->function);
    else
        fputs("?\n", out);
}

static void put_place(FILE *out, const struct live_frame *f)
{
    const char *slash = strrchr(f->file, '/');
    fputs(slash != NULL ? slash + 1 : f->file, out);
    if (f->function_line > 0 && f->line >= f->function_line)
        fprintf(out, "+%" PRIu32, f->line - f->function_line);
    fputc('\n', out);
}

/* What one access adds to the fingerprint; to be freed. */
static char *side(const struct live_access *a)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        tool_failed("out of memory");
    const struct live_frame *own = live_stack_own(&a->stack);
    for (size_t i = 0; i < a->stack.count; i++) {
        put_function(out, &a->stack.frame[i]);
        if (&a->stack.frame[i] == own)
            break;
    }
    if (own != NULL)
        put_place(out, own);
    fclose(out);
    return text;
}

/* Which variable, or which kind of memory; of a heap block who allocated it. */
static const char *memory(const struct live_location *l)
{
    static const char *const kinds[] = {"?", "global", "heap", "stack", "tls", "mapped"};
    const struct live_frame *allocator = l->place == LIVE_HEAP ? live_stack_own(&l->stack) : NULL;
    if (l->place == LIVE_GLOBAL && l->name != NULL)
        return l->name;
    return allocator != NULL && allocator->function != NULL ? allocator->function : kinds[l->place];
}

const char *live_race_fingerprint(const struct live_race *r, char text[FINGERPRINT_BYTES])
{
    char *one = side(&r->current), *other = side(&r->earlier);
    bool in_order = strcmp(one, other) <= 0;
    char *whole;
    int length =
        asprintf(&whole, "%s%s%s", in_order ? one : other, in_order ? other : one, memory(&r->location));
    if (length < 0)
        tool_failed("out of memory");
    snprintf(text, FINGERPRINT_BYTES, "%016" PRIx64, (uint64_t)XXH64(whole, (size_t)length, 0));
    free(one);
    free(other);
    free(whole);
    return text;
}
