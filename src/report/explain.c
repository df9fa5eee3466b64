/* What is missing between the two accesses of a race, in words: which locks they were made under, what the
 * first thread released since, whether the second ever acquired that, and how far it had learned of the
 * first. Only what was observed is said. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/explain.h"
#include "report/own_frame.h"
#include "trace/show.h"

/* A sentence in the making; what does not fit is cut off. */
struct sentence {
    size_t used;
    char text[600];
};

__attribute__((format(printf, 2, 3))) static void say(struct sentence *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(s->text + s->used, sizeof s->text - s->used, format, arguments);
    va_end(arguments);
    s->used += length > 0 ? (size_t)length : 0;
    if (s->used >= sizeof s->text)
        s->used = sizeof s->text - 1;
}

static void end(struct explanation *e, struct sentence *s, struct pool *pool)
{
    if (s->used > 0 && e->count < array_length(e->line)) {
        if (s->text[0] >= 'a' && s->text[0] <= 'z')
            s->text[0] = (char)(s->text[0] - 'a' + 'A');
        e->line[e->count++] = pool_text(pool, s->text, s->used);
    }
    s->used = 0;
}

/* --- words --- */

static void say_thread(struct sentence *s, const struct live_thread *t)
{
    if (t == NULL)
        say(s, "a thread");
    else if (t->id == 0)
        say(s, "the main thread");
    else
        say(s, "thread T%" PRIu64, t->id);
}

static void say_mutex(struct sentence *s, const struct live_mutex *m)
{
    say(s, "M%u", m->number);
    if (m->name != NULL)
        say(s, " (%s)", m->name);
}

/* "M1 and M2", the first few. */
static void say_locks(struct sentence *s, const struct live_access *a)
{
    enum { MOST = 4 };
    for (size_t i = 0; i < a->lock_count && i < MOST; i++) {
        say(s, "%s", i == 0 ? "" : " and ");
        say_mutex(s, a->lock[i].mutex);
    }
    if (a->lock_count > MOST)
        say(s, " and others");
}

static const char *access_word(const struct live_access *a)
{
    static const char *const word[] = {"read", "write", "atomic read", "atomic write"};
    return a->is_free ? "free" : word[a->kind];
}

/* what NULL: it was named before. */
static void say_object(struct sentence *s, const char *what, const struct live_sync *e)
{
    if (what == NULL)
        say(s, "it");
    else if (e->mutex != NULL)
        say_mutex(s, e->mutex);
    else if (e->name != NULL)
        say(s, "%s '%s'", what, e->name);
    else
        say(s, "%s 0x%" PRIx64, what, e->object);
}

const char *sync_order_word(const struct live_sync *e)
{
    return e->acquires && e->releases ? "acquire and release"
           : e->acquires              ? "acquire"
           : e->releases              ? "release"
                                      : "relaxed";
}

/* " at bank.c:40" */
static void say_place(struct sentence *s, const struct live_stack *stack)
{
    const struct live_frame *f = live_stack_shown(stack);
    if (f == NULL)
        return;
    const char *slash = strrchr(f->file, '/'), *text = slash != NULL ? slash + 1 : f->file;
    struct name name = {text, (uint32_t)strlen(text)};
    struct mem mem = {0};
    size_t length;
    char *shown = show_name(&mem, name, &length);
    if (name_is_printable(name))
        say(s, " at %s:%" PRIu32, text, f->line);
    else
        say(s, " at %.*s:%" PRIu32, (int)length, shown, f->line);
    mem_free(&mem, shown, SHOWN_BYTES(name));
}

/* "unlocked M1 (lock) at bank.c:40"; `again`: "locked it at bank.c:40". */
static void say_done(struct sentence *s, const struct live_sync *e, bool again)
{
    bool release = again ? !e->acquires : e->releases;
    switch (e->kind) {
    case WIRE_LOCK:
        say(s, release ? "unlocked " : "locked ");
        say_object(s, again ? NULL : "mutex", e);
        say(s, e->shared ? " (for reading)" : "");
        break;
    case WIRE_ATOMIC:
        say(s, e->writes ? "wrote " : "read ");
        say_object(s, again ? NULL : "atomic", e);
        say(s, " (%s)", sync_order_word(e));
        break;
    case WIRE_SEMAPHORE:
        say(s, release ? "posted " : "waited for ");
        say_object(s, again ? NULL : "semaphore", e);
        break;
    case WIRE_BARRIER:
        say(s, release ? "arrived at " : "left ");
        say_object(s, again ? NULL : "barrier", e);
        break;
    case WIRE_ONCE:
        say(s, release ? "ended " : "saw the end of ");
        say_object(s, again ? NULL : "one-time initialization", e);
        break;
    case WIRE_KERNEL:
        say(s, release ? "released through the kernel (a descriptor, a signal or the like)"
                       : "acquired through the kernel (a descriptor, a signal or the like)");
        break;
    case WIRE_THREAD:
        say(s, "%s thread T%" PRIu64, release ? "created" : "joined", e->object);
        break;
    case WIRE_FENCE:
        say(s, "made a release fence");
        break;
    case WIRE_ANNOTATED:
        say(s, release ? "released " : "acquired ");
        say_object(s, again ? NULL : "annotated", e);
        break;
    }
    say_place(s, &e->stack);
}

/* --- locks --- */

const struct live_mutex *lock_in_common(const struct live_race *r, bool reading)
{
    const struct live_access *a = &r->earlier, *b = &r->current;
    for (size_t i = 0; i < a->lock_count; i++)
        for (size_t k = 0; k < b->lock_count; k++)
            if (a->lock[i].mutex == b->lock[k].mutex && (a->lock[i].read && b->lock[k].read) == reading)
                return a->lock[i].mutex;
    return NULL;
}

/* A library that is not instrumented may have locks of its own, and more: then only what is seen can be denied. */
static const char *that_is_seen(const struct live_race *r)
{
    return r->unseen.library != NULL ? " that is seen" : "";
}

static void say_held(struct sentence *s, const struct live_race *r, const struct live_access *a)
{
    say_thread(s, a->thread);
    say(s, " held ");
    if (a->lock_count > 0)
        say_locks(s, a);
    else
        say(s, "no lock%s", that_is_seen(r));
}

static void explain_locks(struct sentence *s, const struct live_race *r)
{
    const struct live_access *a = &r->earlier, *b = &r->current;
    const struct live_mutex *anew = lock_in_common(r, false), *both = lock_in_common(r, true);
    bool all_known = a->locks_known && !a->locks_cut && !b->locks_cut;
    if (anew != NULL) {
        say(s, "Both held ");
        say_mutex(s, anew);
        say(s, ", which did not order them: between the two it was destroyed or initialized anew, or what "
               "was done "
               "with it was not seen.");
    } else if (both != NULL && all_known) {
        say(s, "Both held M%u for reading only, which orders nothing between them.", both->number);
    } else if (all_known && a->lock_count + b->lock_count > 0) {
        say(s, a->lock_count > 0 && b->lock_count > 0 ? "No lock in common%s: " : "%s",
            a->lock_count > 0 && b->lock_count > 0 ? that_is_seen(r) : "");
        say_held(s, r, a);
        say(s, ", ");
        say_held(s, r, b);
        say(s, "; nothing else%s orders them.", that_is_seen(r));
    } else {
        if (all_known)
            say(s, "Neither held a lock%s, and nothing else%s orders the access of ", that_is_seen(r),
                that_is_seen(r));
        else
            say(s, "Nothing%s orders the access of ", that_is_seen(r));
        say_thread(s, b->thread);
        say(s, " after that of ");
        say_thread(s, a->thread);
        say(s, all_known        ? "."
               : a->locks_known ? ": more locks were held than are listed here."
                                : ", whose locks are not known any more.");
    }
}

/* --- the missing edge --- */

const struct live_sync *sync_find(const struct live_race *r, bool second, const struct live_sync *like)
{
    for (size_t i = r->sync_count; i-- > 0;) {
        const struct live_sync *e = &r->sync[i];
        if (e->second == second && e->kind == like->kind && e->object == like->object &&
            (e->acquires || !e->releases))
            return e;
    }
    return NULL;
}

/* What the first thread did after its access that might have ordered the two: what it released, the earliest
 * that the second did something with, or else the earliest; or what it wrote without release that the second
 * read. *acquired: what the second did with it, or NULL. */
static const struct live_sync *nearest(const struct live_race *r, const struct live_sync **acquired)
{
    const struct live_sync *earliest = NULL, *relaxed = NULL;
    for (size_t i = 0; i < r->sync_count; i++) {
        const struct live_sync *e = &r->sync[i];
        if (e->second || !e->after)
            continue;
        *acquired = sync_find(r, true, e);
        if (e->releases && *acquired != NULL)
            return e;
        if (e->releases && earliest == NULL)
            earliest = e;
        if (!e->releases && *acquired != NULL && relaxed == NULL)
            relaxed = e;
    }
    const struct live_sync *found = relaxed != NULL ? relaxed : earliest;
    *acquired = found != NULL ? sync_find(r, true, found) : NULL;
    return found;
}

/* What the second thread had done with it. */
static void say_acquired(struct sentence *s, const struct live_race *r, const struct live_sync *e,
                         const struct live_sync *released)
{
    say(s, " ");
    say_done(s, e, true);
    if (e->kind == WIRE_ATOMIC && !e->acquires)
        say(s, ", which acquires nothing.");
    else if (e->kind == WIRE_ATOMIC && !released->releases)
        say(s, ".");
    else if (e->kind == WIRE_ATOMIC)
        say(s, ", but not that value.");
    else if (e->shared && released->shared)
        say(s, ", and two that hold it for reading are not ordered by it.");
    else if (e->mutex != NULL && e->mutex == lock_in_common(r, false))
        say(s, ".");
    else
        say(s, ", before that.");
}

static bool has_written(const struct live_race *r, const struct live_sync *like)
{
    for (size_t i = 0; i < r->sync_count; i++)
        if (r->sync[i].second && r->sync[i].kind == like->kind && r->sync[i].object == like->object &&
            r->sync[i].writes)
            return true;
    return false;
}

/* ... nothing, as far as is known. */
static void say_not_acquired(struct sentence *s, const struct live_race *r, const struct live_sync *released)
{
    static const char *const done[] = {
        [WIRE_LOCK] = "locked it",          [WIRE_ATOMIC] = "read it",
        [WIRE_SEMAPHORE] = "waited for it", [WIRE_BARRIER] = "waited at it",
        [WIRE_ONCE] = "seen its end",       [WIRE_KERNEL] = "acquired what was released there",
        [WIRE_ANNOTATED] = "acquired it"};
    const char *what = done[released->kind];
    if (released->kind == WIRE_ATOMIC && has_written(r, released))
        what = "read it with acquire order"; /* a write may have read it, too */
    bool whole = r->known & (released->kind == WIRE_LOCK ? WIRE_KNOWN_ALL_LOCKS : WIRE_KNOWN_ALL_OTHERS);
    say(s, whole ? " had never %s before its %s." : " had not %s before its %s, as far back as is known.",
        what, access_word(&r->current));
}

static void explain_edge(struct sentence *s, const struct live_race *r)
{
    const struct live_sync *acquired, *released = nearest(r, &acquired);
    if (released == NULL && !(r->known & WIRE_KNOWN_NO_RELEASE))
        return;
    say_thread(s, r->earlier.thread);
    if (released == NULL) {
        say(s, " has released nothing%s since its %s.", that_is_seen(r), access_word(&r->earlier));
        return;
    }
    say(s, " ");
    say_done(s, released, false);
    say(s, " after its %s%s", access_word(&r->earlier), released->releases ? "" : ", which releases nothing");
    if (released->kind == WIRE_THREAD || released->kind == WIRE_FENCE) {
        say(s, ".");
        return;
    }
    say(s, "; ");
    say_thread(s, r->current.thread);
    if (acquired != NULL)
        say_acquired(s, r, acquired, released);
    else
        say_not_acquired(s, r, released);
}

/* How far the second thread had learned of the first. */
static void explain_reach(struct sentence *s, const struct live_race *r)
{
    const struct live_sync *reached = NULL;
    for (size_t i = 0; i < r->sync_count; i++)
        if (r->sync[i].reached)
            reached = &r->sync[i];
    if (reached != NULL) {
        say(s, "The last that ");
        say_thread(s, r->current.thread);
        say(s, " knew of ");
        say_thread(s, r->earlier.thread);
        say(s, " is that it ");
        say_done(s, reached, false);
        say(s, ".");
    } else if (r->known & WIRE_KNOWN_NOTHING_REACHED) {
        say(s, "Nothing%s ", r->unseen.library != NULL ? " that is seen of what" : " that");
        say_thread(s, r->earlier.thread);
        say(s, " did had reached ");
        say_thread(s, r->current.thread);
        say(s, ".");
    }
}

static void explain_end(struct sentence *s, const struct live_race *r)
{
    const struct live_thread *t = r->earlier.thread;
    if (t == NULL || t->running || t->id == 0)
        return;
    say_thread(s, t);
    if (t->detached) {
        say(s, " was detached, and has ended.");
        return;
    }
    say(s, t->joined ? " has ended and was joined by another thread, and " : " has ended, and ");
    say_thread(s, r->current.thread);
    say(s, t->joined ? " has not learned of that." : " has not joined it.");
}

struct explanation explain_race(const struct live_race *r, struct pool *pool)
{
    struct explanation e = {.count = 0};
    struct sentence s = {.used = 0};
    if (r->unseen.text != NULL) /* before all that rests on what is seen */
        e.line[e.count++] = r->unseen.text;
    explain_locks(&s, r);
    end(&e, &s, pool);
    if (!(r->known & WIRE_KNOWN_SYNC))
        return e;
    explain_edge(&s, r);
    end(&e, &s, pool);
    explain_end(&s, r);
    end(&e, &s, pool);
    explain_reach(&s, r);
    end(&e, &s, pool);
    return e;
}

const char *live_race_explain(const struct live_race *r, struct pool *pool)
{
    const char *text = "";
    for (size_t i = 0; i < r->why.count; i++)
        text = pool_format(pool, "%s%s%s", text, i > 0 ? " " : "", r->why.line[i]);
    return text;
}
