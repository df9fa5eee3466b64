#include "runtime/host/posts.h"

struct post {
    uint32_t uses; /* sets that it is in */
    uint32_t by;   /* thread */
    uint64_t when; /* which of that thread's */
};

under_lock static struct post *posts; /* by the id of its round */
under_lock static size_t post_capacity;

static void drop(uint32_t id)
{
    if (--posts[id].uses == 0)
        events_give_round(id);
}

static void remove_at(struct mailbox *set, uint32_t i)
{
    drop(set->clock[i]);
    set->clock[i] = set->clock[--set->length];
}

static void append(struct mailbox *set, uint32_t id)
{
    size_t capacity = set->capacity;
    set->clock = mem_reserve(events_mem, set->clock, sizeof *set->clock, &capacity, set->length + 1);
    set->capacity = (uint32_t)capacity;
    set->clock[set->length++] = id;
    posts[id].uses++;
}

/* --- what a thread has learned --- */

static bool knows(const struct host_thread *h, const struct post *p)
{
    const __typeof__(h->known[0]) *k = &h->known[p->by % KNOWN_POSTS];
    return p->by == h->id || (k->by == p->by && k->when >= p->when);
}

static void note_known(struct host_thread *h, const struct post *p)
{
    __typeof__(h->known[0]) *k = &h->known[p->by % KNOWN_POSTS];
    k->by = p->by;
    k->when = p->when;
}

void posts_learn(const struct mailbox *set, struct host_thread *h)
{
    for (uint32_t i = 0; i < set->length; i++) {
        const struct post *p = &posts[set->clock[i]];
        if (knows(h, p))
            continue;
        events_sync(h, OP_BARRIER_OUT, set->clock[i], 0);
        note_known(h, p);
    }
}

/* --- sets --- */

void posts_publish(struct mailbox *set, struct host_thread *h)
{
    for (uint32_t i = set->length; i-- > 0;)
        if (knows(h, &posts[set->clock[i]]))
            remove_at(set, i);
    uint32_t id = events_new_round();
    posts = mem_reserve(events_mem, posts, sizeof *posts, &post_capacity, id + 1);
    posts[id] = (struct post){.by = h->id, .when = posts_next(h)};
    events_sync(h, OP_BARRIER_IN, id, 0);
    append(set, id);
}

bool posts_renew(struct mailbox *set, struct host_thread *h, uint32_t *id)
{
    struct post *only = set->length == 1 ? &posts[set->clock[0]] : NULL;
    if (only == NULL || only->uses != 1 || !knows(h, only))
        return false;
    only->by = h->id;
    only->when = posts_next(h);
    *id = set->clock[0];
    return true;
}

bool posts_sole(uint32_t id, uint32_t *by)
{
    *by = posts[id].by;
    return posts[id].uses == 1;
}

void posts_moved(uint32_t id, uint32_t by, uint64_t when)
{
    posts[id].by = by;
    posts[id].when = when;
}

void posts_replace(struct mailbox *set, struct host_thread *h)
{
    posts_forget(set);
    posts_publish(set, h);
}

/* Of two posts of one thread the newer one has the older one's. */
static bool makes_room_for(struct mailbox *set, const struct post *p)
{
    for (uint32_t i = set->length; i-- > 0;) {
        const struct post *other = &posts[set->clock[i]];
        if (other->by != p->by)
            continue;
        if (other->when >= p->when)
            return false;
        remove_at(set, i);
    }
    return true;
}

void posts_join(struct mailbox *into, const struct mailbox *from)
{
    for (uint32_t i = 0; i < from->length; i++)
        if (makes_room_for(into, &posts[from->clock[i]]))
            append(into, from->clock[i]);
}

void posts_forget(struct mailbox *set)
{
    while (set->length > 0)
        remove_at(set, set->length - 1);
}

void posts_free(struct mailbox *set)
{
    posts_forget(set);
    mem_free(events_mem, set->clock, set->capacity * sizeof *set->clock);
    *set = (struct mailbox){0};
}
