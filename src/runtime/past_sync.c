#include "runtime/past_sync.h"

#include "runtime/intercept/held.h"

void past_sync_add(struct thread *t, enum sync_kind kind, unsigned which, uintptr_t object, uintptr_t pc)
{
    if (host_held != NULL || t->ignore_sync != 0)
        return; /* the generic host has no use for it; or it orders nothing */
    if (which & HISTORY_ACQUIRES)
        history_change_context(t); /* what follows is ordered after more */
    if (!history_is_ready(t))
        history_prepare(t, 1);
    history_put(t, (uint64_t)pc << 16 | (uint64_t)kind << 8 | which | ENTRY_KIND_SYNC << 2 | ENTRY_ACCESS,
                object);
}

/* --- for reports --- */

struct past_sync_walk past_sync_walk(const struct thread *t)
{
    struct history_window known = history_window(t);
    return (struct past_sync_walk){
        .thread = t, .next = known.head, .oldest = known.oldest, .changes = load_acquire(&t->held_changes)};
}

static bool is_context(const struct entry *e)
{
    return (e->a & 3) == ENTRY_CONTEXT;
}

/* Is it an entry that says something about order? */
static bool is_sync(const struct entry *e)
{
    unsigned kind = e->a >> 2 & 7;
    return (e->a & 3) == ENTRY_ACCESS &&
           (kind == ENTRY_KIND_SYNC || kind == ATOMIC_READ || kind == ATOMIC_WRITE);
}

/* The context of the entry before `next`. False: overwritten. */
static bool find_context(struct past_sync_walk *w)
{
    const struct history *h = w->thread->history;
    if (w->context.a != 0 && w->context_at < w->next - 1)
        return true;
    for (uint64_t i = w->next - 1; i-- > w->oldest;) {
        struct entry e = h->entry[i & h->mask];
        if (!is_context(&e))
            continue;
        w->context = e;
        w->context_at = i;
        return i >= history_window(w->thread).oldest;
    }
    return false;
}

/* Down to where the entry before `next` is one of these. False: there is none. */
static bool find_entry(struct past_sync_walk *w, struct entry *found)
{
    const struct history *h = w->thread->history;
    for (; w->next > w->oldest; w->next--) {
        *found = h->entry[(w->next - 1) & h->mask];
        if (!is_sync(found))
            continue;
        if (find_context(w))
            return true;
        break;
    }
    w->others_lost |= w->oldest > 0 || w->next > w->oldest;
    w->next = w->oldest;
    return false;
}

static struct past_sync of_entry(const struct past_sync_walk *w, const struct entry *e)
{
    unsigned kind = e->a >> 2 & 7;
    return (struct past_sync){.kind =
                                  kind == ENTRY_KIND_SYNC ? (enum sync_kind)(e->a >> 8 & 0xff) : SYNC_ATOMIC,
                              .acquires = e->a & HISTORY_ACQUIRES,
                              .releases = e->a & HISTORY_RELEASES,
                              .writes = kind == ATOMIC_WRITE,
                              .object = e->b,
                              .pc = e->a >> 16,
                              .node = (uint32_t)(w->context.a >> 32),
                              .epoch = (uint32_t)(w->context.b >> 32),
                              .number = w->next};
}

static bool next_change(struct past_sync_walk *w, struct past_sync *found)
{
    struct held_change change;
    if (w->changes == 0)
        return false;
    if (!history_held_at(w->thread, w->changes - 1, &change)) {
        w->locks_lost = true;
        w->changes = 0;
        return false;
    }
    w->changes--;
    *found = (struct past_sync){.kind = SYNC_LOCK,
                                .acquires = !held_given_up(&change),
                                .releases = held_given_up(&change),
                                .shared = held_mode(change.what) == HELD_READING,
                                .object = held_lock(change.what),
                                .pc = change.pc,
                                .node = change.node,
                                .epoch = change.epoch};
    return true;
}

/* A context says how many changes of locks there were before it: that is how the two rings fit together. */
bool past_sync_next(struct past_sync_walk *w, struct past_sync *found)
{
    struct entry e;
    bool there = find_entry(w, &e);
    if ((there && (uint32_t)w->context.b >= w->changes) || !next_change(w, found)) {
        if (!there)
            return false;
        *found = of_entry(w, &e);
        w->next--;
    }
    found->age = w->found++;
    return true;
}

bool past_sync_find(const struct thread *t, uintptr_t object, uint32_t half, struct access_site *site)
{
    struct past_sync_walk walk = past_sync_walk(t);
    struct past_sync e;
    while (past_sync_next(&walk, &e)) {
        if (e.object != object || e.epoch != half || e.kind == SYNC_THREAD)
            continue;
        *site = (struct access_site){
            .pc = e.pc, .node = e.node, .kind = ATOMIC_READ, .address = object, .size = 1};
        return true;
    }
    return false;
}
