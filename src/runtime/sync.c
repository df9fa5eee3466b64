#include "runtime/sync.h"

#include "base/blocks.h"
#include "base/count.h"
#include "runtime/access.h"
#include "runtime/intercept/barrier.h"
#include "runtime/world.h"

static struct blocks memory;

/* The record at the address, locked, and the world entered; NULL when there is none and `make` is false. */
static struct record *lock_at(struct thread *t, uintptr_t address, bool make)
{
    world_enter(t);
    struct record *record = make ? record_lock(shadow_of(address)) : record_lock_existing(shadow_of(address));
    if (record == NULL)
        world_leave(t);
    return record;
}

static void unlock_at(struct thread *t, struct record *record)
{
    record_unlock(record);
    world_leave(t);
}

/* ... after a release. */
static void unlock_and_tick(struct thread *t, struct record *record)
{
    record_unlock(record);
    thread_tick(t);
    world_leave(t);
}

struct sync *sync_make(struct record *record, uintptr_t address)
{
    struct sync *s = blocks_take(&memory, sizeof *s);
    *s = (struct sync){.byte = address & 3, .next = record->sync};
    store_release(&record->sync, s);
    return s;
}

void sync_grow(struct mailbox *m, uint32_t slots)
{
    uint32_t capacity = m->capacity < 16 ? 16 : m->capacity;
    while (capacity < slots)
        capacity *= 2;
    uint32_t *clock = blocks_take(&memory, capacity * sizeof *clock);
    if (m->length > 0)
        memcpy(clock, m->clock, m->length * sizeof *clock);
    if (m->clock != NULL)
        blocks_give(&memory, m->clock, m->capacity * sizeof *clock);
    m->clock = clock;
    m->capacity = capacity;
}

void sync_make_whole(struct mailbox *m)
{
    uint32_t slots = 1u << (HALF_BITS - half_bits);
    if (likely(m->capacity >= slots))
        return;
    struct mailbox whole = {.snapshot = m->snapshot};
    sync_make_room(&whole, slots);
    whole.length = m->length;
    memset(whole.clock, 0, whole.capacity * sizeof *whole.clock);
    if (m->clock != NULL)
        memcpy(whole.clock, m->clock, m->capacity * sizeof *m->clock);
    sync_give_clock(m);
    *m = whole;
}

void sync_give_clock(struct mailbox *m)
{
    if (m->clock != NULL)
        blocks_give(&memory, m->clock, m->capacity * sizeof *m->clock);
    *m = (struct mailbox){0};
}

/* --- sweeping --- */

static void give(struct sync *s)
{
    sync_give_clock(&s->released);
    sync_give_clock(&s->readers);
    sync_give_clock(&s->stored);
    if (s->own != NULL && barrier_lost != NULL)
        barrier_lost(s->own);
    blocks_give(&memory, s, sizeof *s);
}

void sync_lost(struct sync *list)
{
    for (struct sync *s = list, *next; s != NULL; s = next) {
        next = s->next;
        give(s);
    }
}

void sync_drop_unused(struct sync **list, const uint32_t *known, const uint32_t *kept)
{
    for (struct sync *s = *list; s != NULL; s = *list) {
        if (half_before(s->used.epoch, known) || kept[half_slot(s->used.epoch)] == 0)
            s->used = (struct lock_use){0};
        if (s->released.length + s->readers.length + s->stored.length == 0 && s->own == NULL &&
            s->used.epoch == 0) {
            *list = s->next;
            give(s);
        } else {
            list = &s->next;
        }
    }
}

size_t sync_bytes(void)
{
    return load_relaxed(&memory.used);
}

/* --- acquiring and releasing --- */

/* Which mailboxes of an object. */
enum { WRITERS = 1, READERS = 2, VALUE = 4 };

static bool is_known(const struct mailbox *m, const uint32_t *clock)
{
    epoch snapshot = {load_acquire(&m->snapshot.v)};
    return load_relaxed(&m->length) == 0 || (!epoch_is_none(snapshot) && epoch_before(snapshot, clock));
}

static bool all_known(const struct sync *s, unsigned which, const uint32_t *clock)
{
    return is_known(&s->released, clock) && (!(which & READERS) || is_known(&s->readers, clock)) &&
           (!(which & VALUE) || is_known(&s->stored, clock));
}

/* Without the lock: does the thread know what was released here? A release that is going on meanwhile is not one that
 * it has to learn: the real operation that lets others in comes after it. */
static bool learned_at(struct thread *t, uintptr_t address, unsigned which)
{
    const uint64_t *word = shadow_of(address);
    world_enter(t);
    uint64_t seen = load_acquire(word);
    const struct record *record = record_peek(&seen);
    const struct sync *s = record != NULL ? sync_find(record, address) : NULL;
    bool known = s != NULL && all_known(s, which, t->clock) && load_relaxed(word) == seen;
    world_leave(t);
    return known;
}

static void acquire(struct thread *t, uintptr_t address, unsigned which)
{
    if (unlikely(t->ignore_sync != 0))
        return;
    count(SYNC);
    if (learned_at(t, address, which)) {
        count(JOINS_SKIPPED);
        return;
    }
    struct record *record = lock_at(t, address, false);
    if (record == NULL)
        return; /* nothing was ever released here */
    struct sync *s = sync_find(record, address);
    if (s != NULL) {
        mailbox_acquire(&s->released, t->clock);
        if (which & READERS)
            mailbox_acquire(&s->readers, t->clock);
        if (which & VALUE)
            mailbox_acquire(&s->stored, t->clock);
    }
    unlock_at(t, record);
}

void sync_acquire(struct thread *t, uintptr_t address)
{
    acquire(t, address, WRITERS);
}

void sync_acquire_exclusive(struct thread *t, uintptr_t address)
{
    acquire(t, address, WRITERS | READERS);
}

void sync_acquire_all(struct thread *t, uintptr_t address)
{
    acquire(t, address, WRITERS | READERS | VALUE);
}

void sync_release(struct thread *t, uintptr_t address)
{
    if (unlikely(t->ignore_sync != 0))
        return;
    count(SYNC);
    struct record *record = lock_at(t, address, true);
    struct sync *s = sync_of(record, address);
    uint32_t slots = load_acquire(&thread_slots);
    sync_make_room(&s->released, slots);
    mailbox_release(&s->released, t->clock, slots, thread_epoch(t));
    mailbox_forget(&s->readers);
    unlock_and_tick(t, record);
}

static void publish(struct thread *t, uintptr_t address, bool reader)
{
    if (unlikely(t->ignore_sync != 0))
        return;
    count(SYNC);
    struct record *record = lock_at(t, address, true);
    struct sync *s = sync_of(record, address);
    struct mailbox *m = reader ? &s->readers : &s->released;
    uint32_t slots = load_acquire(&thread_slots);
    sync_make_room(m, slots);
    mailbox_publish(m, t->clock, slots, thread_epoch(t));
    unlock_and_tick(t, record);
}

void sync_publish(struct thread *t, uintptr_t address)
{
    publish(t, address, false);
}

void sync_publish_reader(struct thread *t, uintptr_t address)
{
    publish(t, address, true);
}

void sync_publish_into(struct thread *t, struct mailbox *m)
{
    if (unlikely(t->ignore_sync != 0))
        return;
    count(SYNC);
    uint32_t slots = load_acquire(&thread_slots);
    sync_make_room(m, slots);
    mailbox_publish(m, t->clock, slots, thread_epoch(t));
    thread_tick(t);
}

void sync_acquire_from(struct thread *t, const struct mailbox *m)
{
    if (unlikely(t->ignore_sync != 0))
        return;
    count(SYNC);
    mailbox_acquire(m, t->clock);
}

void sync_forget(struct mailbox *m)
{
    mailbox_forget(m);
}

void sync_destroy(uintptr_t address)
{
    struct thread *t = thread_current();
    struct record *record = lock_at(t, address, false);
    if (record == NULL)
        return;
    struct sync *s = sync_find(record, address);
    if (s != NULL) {
        mailbox_forget(&s->released);
        mailbox_forget(&s->readers);
        s->created = 0;
    }
    unlock_at(t, record);
}

void sync_created(struct thread *t, uintptr_t address, uint32_t node)
{
    struct record *record = lock_at(t, address, true);
    sync_of(record, address)->created = node;
    unlock_at(t, record);
}

void *sync_attach(struct thread *t, uintptr_t address, void *own)
{
    struct record *record = lock_at(t, address, true);
    struct sync *s = sync_of(record, address);
    void *old = s->own;
    s->own = own;
    unlock_at(t, record);
    return old;
}

void *sync_attached(struct thread *t, uintptr_t address)
{
    struct record *record = lock_at(t, address, false);
    if (record == NULL)
        return NULL;
    struct sync *s = sync_find(record, address);
    void *own = s != NULL ? s->own : NULL;
    unlock_at(t, record);
    return own;
}
