/* A race of a running program as text, in TSan's grammar: tools and people that read its reports read ours.
 */
#include "report/live_writers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/own_frame.h"
#include "report/snippet.h"

static const char *const current_word[] = {"Read", "Write", "Atomic read", "Atomic write"};
static const char *const previous_word[] = {"read", "write", "atomic read", "atomic write"};

enum color { RED = 31, GREEN = 32, BLUE = 34, MAGENTA = 35 };

struct writer {
    FILE *out;
    bool colors;
    const char *format; /* of frames */
    int source_lines;
};

static void begin(const struct writer *w, enum color color)
{
    if (w->colors)
        fprintf(w->out, "\033[1m\033[%dm", color);
}

static void end(const struct writer *w)
{
    if (w->colors)
        fputs("\033[1m\033[0m", w->out);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void put_stack(const struct writer *w, const struct live_stack *s)
{
    FILE *out = w->out;
    if (!s->known)
        fputs("    [failed to restore the stack: the thread's history has been overwritten since; "
              "history_size (0 to 7) says how much is kept]\n",
              out);
    for (size_t i = 0, number = 0; i < s->count; i++)
        if (s->frame[i].mark)
            fprintf(out, "    %s\n", s->frame[i].function);
        else
            frame_write(out, w->format, number++, &s->frame[i]);
    if (s->cut)
        fputs("    [the stack goes on]\n", out);
    fputc('\n', out);
}

static void put_thread(FILE *out, const struct live_thread *t)
{
    if (t == NULL)
        fputs("a thread that is not known any more", out);
    else if (t->id == 0)
        fputs("main thread", out);
    else
        fprintf(out, "thread T%" PRIu64, t->id);
}

static void put_locks(FILE *out, const struct live_access *a)
{
    for (size_t i = 0; i < a->lock_count; i++)
        fprintf(out, "%s%s M%u", i == 0 ? " (mutexes: " : ", ", a->lock[i].read ? "read" : "write",
                a->lock[i].mutex->number);
    if (a->lock_count > 0)
        fputs(a->locks_cut ? " and more)" : ")", out);
}

static void put_source(const struct writer *w, const struct live_access *a)
{
    const struct live_frame *f = live_stack_shown(&a->stack);
    struct pool pool = {.chunk = NULL};
    struct snippet s = {.count = 0};
    if (w->source_lines > 0)
        s = snippet_of(&pool, f, (unsigned)(w->source_lines - 1) / 2);
    for (size_t i = 0; i < s.count; i++) {
        uint32_t number = s.first + (uint32_t)i;
        fprintf(w->out, "    %c %5" PRIu32 " |%s%s\n", number == f->line ? '>' : ' ', number,
                s.line[i][0] != '\0' ? " " : "", s.line[i]);
    }
    if (s.count > 0)
        fputc('\n', w->out);
    pool_free(&pool);
}

static void put_access(const struct writer *w, const char *before, const char *word,
                       const struct live_access *a)
{
    begin(w, BLUE);
    fprintf(w->out, "  %s%s ", before, word);
    if (a->size > 0)
        fprintf(w->out, "of size %" PRIu64 " ", a->size);
    fprintf(w->out, "at 0x%" PRIx64 " by ", a->address);
    put_thread(w->out, a->thread);
    put_locks(w->out, a);
    fputc(':', w->out);
    end(w);
    fputc('\n', w->out);
    put_stack(w, &a->stack);
    put_source(w, a);
    if (a->released == NULL)
        return;
    fprintf(w->out, "  It came after the thread had released mutex M%u:\n", a->released->number);
    put_stack(w, &a->released_stack);
}

static void put_offset(FILE *out, const char *module, uint64_t offset)
{
    fputs(" (", out);
    text_shown(out, module);
    fprintf(out, "+0x%" PRIx64 ")", offset);
}

/* Of an access that does not begin where the variable or block does. */
static void put_inside(FILE *out, const struct live_race *r)
{
    uint64_t inside = r->current.address - r->location.address;
    if (inside > 0 && inside < r->location.size)
        fprintf(out, ", %" PRIu64 " byte%s into it", inside, inside == 1 ? "" : "s");
}

static void put_global(FILE *out, const struct live_location *l)
{
    fputs("  Location is global '", out);
    text_shown(out, l->name != NULL ? l->name : "<null>");
    fputs("' ", out);
    if (l->size > 0)
        fprintf(out, "of size %" PRIu64 " ", l->size);
    fprintf(out, "at 0x%" PRIx64, l->address);
    if (l->module != NULL)
        put_offset(out, base_name(l->module), l->offset);
}

static void put_location(const struct writer *w, const struct live_race *r)
{
    const struct live_location *l = &r->location;
    FILE *out = w->out;
    if (l->place == LIVE_UNKNOWN)
        return;
    begin(w, GREEN);
    if (l->place == LIVE_GLOBAL) {
        put_global(out, l);
        put_inside(out, r);
    } else if (l->place == LIVE_HEAP) {
        fprintf(out, "  Location is heap block of size %" PRIu64 " at 0x%" PRIx64, l->size, l->address);
        if (l->stack.known) {
            fputs(" allocated by ", out);
            put_thread(out, l->thread);
        }
        fputs(l->stack.known ? ":" : ".", out);
    } else if (l->place == LIVE_DESCRIPTOR) {
        fprintf(out, "  Location is file descriptor %" PRIu64, l->address);
        if (l->stack.known) {
            fputs(" created by ", out);
            put_thread(out, l->thread);
        }
        fputs(l->stack.known ? " at:" : ".", out);
    } else if (l->place == LIVE_MAPPED) {
        fprintf(out, "  Location is mapped memory of size %" PRIu64 " at 0x%" PRIx64 " (", l->size,
                l->address);
        text_shown(out, l->name != NULL ? l->name : "anonymous");
        fputc(')', out);
    } else {
        fprintf(out, "  Location is %s of ", l->place == LIVE_STACK ? "stack" : "TLS");
        put_thread(out, l->thread);
        fputc('.', out);
    }
    end(w);
    fputc('\n', out);
    if (!l->stack.known)
        fputc('\n', out);
    else
        put_stack(w, &l->stack);
    if (l->free_stack.known && !r->earlier.is_free) { /* where that is the race, it was said above */
        fputs("  The block was freed by ", out);
        put_thread(out, l->freed_by);
        fputs(":\n", out);
        put_stack(w, &l->free_stack);
    }
}

static void put_explanation(const struct writer *w, const struct live_race *r)
{
    begin(w, GREEN);
    fputs("  Why nothing orders them:", w->out);
    end(w);
    fputc('\n', w->out);
    for (size_t i = 0; i < r->why.count; i++) {
        fputs("    ", w->out);
        text_shown(w->out, r->why.line[i]);
        fputc('\n', w->out);
    }
    fputc('\n', w->out);
    if (r->shape.name == NULL)
        return;
    fputs("  What usually fixes this (", w->out);
    text_shown(w->out, r->shape.name);
    fputs("): ", w->out);
    text_shown(w->out, r->shape.advice);
    fputs("\n\n", w->out);
}

static void put_mutex(const struct writer *w, const struct live_mutex *m)
{
    begin(w, MAGENTA);
    fprintf(w->out, "  Mutex M%u (0x%" PRIx64 ")%s", m->number, m->address,
            m->stack.known    ? " created at:"
            : m->name == NULL ? " (where it was created is not known)"
                              : "");
    end(w);
    fputc('\n', w->out);
    if (m->stack.known)
        put_stack(w, &m->stack);
    if (m->name != NULL) {
        fprintf(w->out, "  Mutex M%u is global '", m->number);
        text_shown(w->out, m->name);
        fputs("'.\n", w->out);
    }
    if (m->name != NULL || !m->stack.known)
        fputc('\n', w->out);
}

static void put_creation(const struct writer *w, const struct live_thread *t)
{
    FILE *out = w->out;
    if (t->id == 0)
        return;
    begin(w, GREEN);
    fprintf(out, "  Thread T%" PRIu64, t->id);
    if (t->name[0] != '\0') {
        fputs(" '", out);
        text_shown(out, t->name);
        fputc('\'', out);
    }
    if (t->kernel_id != 0)
        fprintf(out, " (tid=%" PRIu64 ", %s)", t->kernel_id, t->running ? "running" : "finished");
    else
        fputs(" (finished)", out); /* so long ago that nothing else is known */
    if (t->stack.known) {
        fputs(" created by ", out);
        if (t->creator == 0)
            fputs("main thread", out);
        else
            fprintf(out, "thread T%" PRIu64, t->creator);
        fputs(" at:", out);
    }
    end(w);
    fputc('\n', out);
    if (t->stack.known)
        put_stack(w, &t->stack);
    else
        fputc('\n', out);
}

/* The innermost functions, for scripts that sort reports. */
static void put_token(FILE *out, const struct live_stack *s, int most)
{
    if (most <= 0 || s->count == 0)
        return;
    fputs("DEDUP_TOKEN: ", out);
    for (size_t i = 0; i < s->count && i < (size_t)most; i++)
        fprintf(out, "%s%s", i > 0 ? "--" : "",
                s->frame[i].function != NULL ? s->frame[i].function : "<null>");
    fputc('\n', out);
}

static void put_where(FILE *out, const struct live_race *r)
{
    const struct live_frame *top = live_race_top(r);
    if (top != NULL && (top->file != NULL || top->module == NULL)) {
        fputc(' ', out);
        frame_place(out, top->file, top->line);
    } else if (top != NULL) {
        put_offset(out, top->module, top->offset);
    }
    if (top != NULL && top->function != NULL) {
        fputs(" in ", out);
        text_shown(out, top->function);
    }
}

void live_race_summary(const struct live_race *r, bool precise, FILE *out)
{
    fprintf(out, "SUMMARY: Photofinish: %sdata race", precise ? "" : "possible ");
    put_where(out, r);
    fputc('\n', out);
}

void live_race_known(const struct live_race *r, const char *fingerprint, FILE *out)
{
    fprintf(out, "Photofinish: known race %s", fingerprint);
    put_where(out, r);
    fputc('\n', out);
}

bool colors_wanted(const char *option, int fd)
{
    const char *no_color = getenv("NO_COLOR");
    if (strcmp(option, "auto") != 0)
        return strcmp(option, "always") == 0;
    return (no_color == NULL || no_color[0] == '\0') && fd >= 0 && isatty(fd);
}

void live_race_text(const struct live_race *r, const struct options *options, bool precise, bool colors,
                    FILE *out)
{
    struct writer w = {out, colors, options->stack_trace_format, options->source_lines};
    fputs("==================\n", out);
    begin(&w, RED);
    fprintf(out, "WARNING: Photofinish: %sdata race (pid=%" PRIu32 ")", precise ? "" : "possible ", r->pid);
    end(&w);
    fputc('\n', out);
    put_access(&w, "", current_word[r->current.kind], &r->current);
    put_access(&w, "Previous ", previous_word[r->earlier.kind], &r->earlier);
    put_location(&w, r);
    put_explanation(&w, r);
    for (size_t i = 0; i < r->mutex_count; i++)
        put_mutex(&w, &r->mutex[i]);
    for (size_t i = 0; i < r->thread_count; i++)
        put_creation(&w, &r->thread[i]);
    if (!precise)
        fprintf(
            out,
            "  Imprecise: %s checks a locking discipline, not happens-before; the two may be ordered.\n\n",
            options->detector);
    put_token(out, &r->current.stack, options->dedup_token_length);
    put_token(out, &r->earlier.stack, options->dedup_token_length);
    if (options->print_summary)
        live_race_summary(r, precise, out);
    fputs("==================\n", out);
}
