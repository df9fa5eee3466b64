#include "runtime/report_sync.h"

#include "runtime/intercept/held.h"

/* A few events of one thread, the latest first, one an object. */
enum { MOST_RELEASES = 5, MOST_ACQUIRES = 6, MOST_OWN = 3 };
_Static_assert(MOST_RELEASES + 1 + MOST_ACQUIRES + MOST_OWN <= WIRE_MOST_SYNC, "");

struct chosen {
    struct past_sync event[MOST_ACQUIRES];
    size_t count;
};

static bool same_object(const struct past_sync *a, const struct past_sync *b)
{
    return a->kind == b->kind && a->object == b->object;
}

static struct past_sync *find(struct chosen *c, const struct past_sync *e)
{
    for (size_t i = 0; i < c->count; i++)
        if (same_object(&c->event[i], e))
            return &c->event[i];
    return NULL;
}

static void drop(struct chosen *c, const struct past_sync *e)
{
    for (size_t i = (size_t)(e - c->event) + 1; i < c->count; i++)
        c->event[i - 1] = c->event[i];
    c->count--;
}

/* Of events that come the latest first: keeps the earliest of each object, and the earliest objects. */
static void keep_earliest(struct chosen *c, const struct past_sync *e, size_t most)
{
    struct past_sync *later = find(c, e);
    if (later != NULL)
        drop(c, later);
    else if (c->count == most)
        drop(c, &c->event[0]);
    c->event[c->count++] = *e;
}

static bool holds(const uintptr_t *held, size_t count, uintptr_t lock)
{
    for (size_t i = 0; i < count; i++)
        if (held_lock(held[i]) == lock)
            return true;
    return false;
}

/* --- what is known of the race --- */

struct search {
    const struct report_data *data;
    uint32_t epoch,
        known; /* of the earlier access; the last of that thread that the current one knows, or 0 */
    uintptr_t held[WIRE_MOST_LOCKS]; /* by the earlier access */
    size_t held_count;
    struct chosen released; /* by the first thread after its access */
    struct chosen stored;   /* relaxed, by the first thread after its access */
    struct chosen own;     /* locks of the access that it was made under, or that the other was: the last time
                            * that     they were taken, and given up */
    struct past_sync last; /* release of the first thread that the second knows of */
    bool last_known;
};

/* The atomic variable that the race is about orders nothing. */
static bool is_racing(const struct search *s, const struct past_sync *e)
{
    const struct race_access_live *a = s->data->current;
    return e->kind == SYNC_ATOMIC && e->object - a->address < a->size;
}

/* Was it after the access? A relaxed operation does not end an epoch: then the entries must tell. */
static bool is_after(const struct search *s, const struct past_sync *e)
{
    if (e->epoch != s->epoch || e->releases)
        return e->epoch >= s->epoch;
    return s->data->site.number != 0 && e->number > s->data->site.number;
}

/* Locks before the access: taken and held until then, or given up and held by the other. */
static void consider_own(struct search *s, const struct past_sync *e, const uintptr_t *own, size_t own_count,
                         const uintptr_t *others, size_t other_count)
{
    bool wanted = e->kind == SYNC_LOCK &&
                  (e->acquires ? holds(own, own_count, e->object) : holds(others, other_count, e->object));
    if (wanted && s->own.count < MOST_OWN && find(&s->own, e) == NULL)
        s->own.event[s->own.count++] = *e;
}

/* False: no more of the thread is of interest. */
static bool consider_first(struct search *s, const struct past_sync *e)
{
    const struct thread *second = s->data->thread;
    if (is_racing(s, e))
        return true;
    if (is_after(s, e)) {
        if (e->releases)
            keep_earliest(&s->released, e, MOST_RELEASES);
        else if (e->kind == SYNC_ATOMIC && e->writes)
            keep_earliest(&s->stored, e, MOST_RELEASES);
        return true;
    }
    consider_own(s, e, s->held, s->held_count, second->held, second->held_count);
    if (e->releases && e->epoch <= s->known) {
        s->last = *e;
        s->last_known = true;
    }
    return !s->last_known && e->epoch >= s->known;
}

static void walk_first(struct search *s, struct report_syncs *found)
{
    struct past_sync_walk walk = past_sync_walk(s->data->earlier);
    struct past_sync e;
    bool more = true;
    while (more && past_sync_next(&walk, &e))
        if (half_slot(e.epoch) == half_slot(s->epoch))
            more = consider_first(s, &e);
    const struct thread *t = s->data->earlier;
    uint32_t slot = half_slot(s->epoch);
    if (load_relaxed(&t->slots_held) > 1)
        return; /* it has counted in another slot as well */
    if (load_relaxed(&t->clock[slot]) == s->epoch)
        found->flags |= WIRE_KNOWN_NO_RELEASE;
    if (s->known == 0)
        found->flags |= WIRE_KNOWN_NOTHING_REACHED;
}

/* --- telling --- */

/* The first thread's, then the second's; of each, the oldest first. */
static void add(struct report_syncs *found, const struct past_sync *e, bool second, bool after, bool reached)
{
    if (found->count == REPORT_MOST_SYNC)
        return;
    size_t at = found->count++;
    for (; at > 0; at--) {
        const struct report_sync *before = &found->event[at - 1];
        if (before->second != second || before->what.age >= e->age)
            break;
        found->event[at] = *before;
    }
    found->event[at] = (struct report_sync){*e, second, after, reached};
}

static void add_all(struct report_syncs *found, const struct chosen *c, bool second, bool after)
{
    for (size_t i = 0; i < c->count; i++)
        add(found, &c->event[i], second, after, false);
}

/* --- the second thread --- */

/* What it acquired: the latest of each object. What the first released afterwards is looked for to the end.
 */
static void walk_second(struct search *s, struct chosen *acquired, struct report_syncs *found)
{
    const struct thread *t = s->data->thread;
    struct past_sync_walk walk = past_sync_walk(t);
    struct past_sync e;
    size_t others = 0;
    s->own.count = 0;
    while (past_sync_next(&walk, &e)) {
        if (is_racing(s, &e))
            continue;
        bool wanted = find(&s->released, &e) != NULL || find(&s->stored, &e) != NULL ||
                      (e.kind == SYNC_LOCK && holds(t->held, t->held_count, e.object));
        if (e.releases && !e.acquires)
            consider_own(s, &e, NULL, 0, s->held, s->held_count);
        bool acquires = e.acquires || (wanted && e.kind == SYNC_ATOMIC);
        if (!acquires || find(acquired, &e) != NULL || acquired->count == MOST_ACQUIRES)
            continue;
        if (wanted || ++others <= MOST_ACQUIRES / 2)
            acquired->event[acquired->count++] = e;
    }
    if (!walk.locks_lost)
        found->flags |= WIRE_KNOWN_ALL_LOCKS;
    if (!walk.others_lost)
        found->flags |= WIRE_KNOWN_ALL_OTHERS;
}

void report_sync_find(const struct report_data *d, struct report_syncs *found)
{
    *found = (struct report_syncs){0};
    if (host_held != NULL || d->earlier == NULL || d->earlier == d->thread)
        return;
    struct search s = {.data = d, .epoch = d->found->conflict.earlier};
    s.known = d->thread->clock[half_slot(s.epoch)];
    int held = d->known && d->site.held_known
                   ? held_then(d->earlier, d->site.held_changes, s.held, array_length(s.held))
                   : 0;
    s.held_count = held > 0 ? (size_t)held : 0;
    found->flags = WIRE_KNOWN_SYNC;
    walk_first(&s, found);
    if (s.last_known)
        add(found, &s.last, false, false, true);
    add_all(found, &s.own, false, false);
    add_all(found, &s.released, false, true);
    struct chosen acquired = {.count = 0};
    walk_second(&s, &acquired, found);
    for (size_t i = s.stored.count; i-- > 0;)
        if (find(&acquired, &s.stored.event[i]) != NULL)
            add(found, &s.stored.event[i], false, true, false);
    add_all(found, &s.own, true, false);
    add_all(found, &acquired, true, false);
}
