#include "runtime/intercept/lock.h"

#include "base/count.h"
#include "runtime/location.h"
#include "runtime/stack.h"
#include "runtime/sync.h"
#include "runtime/world.h"
#include "shadow/atomic.h"

const bool lock_taken_compares = true;

/* The record of the lock's address, and the thread's use of the lock's memory: programs lock so often that
 * clocks and check are one step, under one lock of the record. */
struct step {
    struct thread *thread;
    struct record *record;
    uintptr_t address, pc;
    bool checked;
};

/* A lock that others have had meanwhile is in their caches: record, sync object, clock, each of which says where
 * the next one is. Where they were they mostly are: all are asked for at once. */
hot_inline struct lock_place *place_of_lock(struct thread *t, uintptr_t lock)
{
    return &t->locks[(lock >> 3 ^ lock >> 9) % LOCKS_KNOWN];
}

hot_inline void fetch(struct thread *t, uintptr_t lock)
{
    const struct lock_place *place = place_of_lock(t, lock);
    if (place->lock != lock)
        return;
    __builtin_prefetch(place->record, 1);
    __builtin_prefetch((const char *)place->record + offsetof(struct record, cell[1]) - 1, 1);
    __builtin_prefetch(place->sync, 1);
    __builtin_prefetch(place->clock, 1);
}

hot_inline void begin(struct step *s, struct thread *t, const volatile void *lock, bool make, uintptr_t pc)
{
    *s = (struct step){.thread = t, .address = (uintptr_t)lock, .pc = pc};
    s->checked = caller_instrumented(pc) && !thread_ignores(t, ATOMIC_READ);
    t->inside++;
    world_enter(t);
    uint64_t *word = shadow_of(s->address);
    s->record = record_lock_quick(word);
    if (unlikely(s->record == NULL))
        s->record = make || s->checked ? record_lock(word) : record_lock_existing(word);
}

/* False: the thread has used it in this epoch, or its uses do not count. */
hot_inline bool is_used_anew(const struct step *s)
{
    return s->checked && s->record->cell[s->address & 3].ar != s->thread->actor.now;
}

/* Was it written before all this? Asked before the thread learns what the lock has to say. */
hot_inline void compare(const struct step *s, struct race_found *found)
{
    const struct actor *t = &s->thread->actor;
    uint32_t w = s->record->cell[s->address & 3].w;
    struct conflict c = {0, PLAIN_WRITE};
    if (!is_used_anew(s) || likely(w == 0 || half_before(w, t->clock)))
        return;
    conflict_with(&c, w, PLAIN_WRITE, t);
    note_bytes(found, c, s->address, 1);
}

hot_inline void use(const struct step *s, struct race_found *found)
{
    struct thread *t = s->thread;
    struct cell *cell = &s->record->cell[s->address & 3];
    if (!is_used_anew(s))
        return;
    if (likely(s->record->special == 0))
        shadow_cell(cell, s->address, 1, ATOMIC_READ, &t->actor, found);
    else /* readers of a read-write lock are a crowd */
        shadow_atomic_slow(s->record, s->address, 1, ATOMIC_READ, &t->actor, found);
    struct sync *sync = sync_of(s->record, s->address);
    sync->used = (struct lock_use){t->actor.now, stack_node(t), s->pc};
    if (unlikely(sync->created == 0))
        sync->created = stack_node_with(t, s->pc);
}

hot_inline void end(struct step *s, bool tick, const struct race_found *found)
{
    struct thread *t = s->thread;
    if (s->record != NULL && likely(s->record->sync != NULL))
        record_release(s->record); /* it will not fold */
    else if (s->record != NULL)
        record_unlock(s->record);
    if (tick)
        thread_tick(t);
    if (unlikely(found->conflict.earlier != 0))
        access_tell(
            t, &(struct race_access_live){.address = s->address, .pc = s->pc, .size = 1, .kind = ATOMIC_READ},
            found);
    world_leave(t);
    thread_outside(t);
}

static void taken_for_writing(struct thread *t, const volatile void *lock, uintptr_t pc)
{
    struct step s;
    struct race_found found;
    found.conflict.earlier = 0;
    count(SYNC);
    fetch(t, (uintptr_t)lock);
    begin(&s, t, lock, false, pc);
    if (s.record != NULL) {
        struct sync *sync = sync_find(s.record, s.address);
        compare(&s, &found);
        if (sync != NULL && likely(t->ignore_sync == 0)) {
            mailbox_acquire(&sync->released, t->clock);
            mailbox_acquire(&sync->readers, t->clock);
        }
        use(&s, &found); /* after the acquire: one thread at a time, each ordered after the one before */
        if (sync != NULL)
            *place_of_lock(t, s.address) =
                (struct lock_place){s.address, s.record, sync, sync->released.clock};
    }
    end(&s, false, &found);
}

void lock_taken(struct thread *t, const volatile void *lock, enum held_mode mode, uintptr_t pc)
{
    if (mode != HELD_READING) {
        taken_for_writing(t, lock, pc);
    } else {
        t->inside++;
        sync_acquire(t, (uintptr_t)lock);
        thread_outside(t);
        object_used(t, lock, true, pc);
        t->inside++;
        uint32_t node;
        if (unlikely(!mutex_created_at((uintptr_t)lock, &node)))
            sync_created(t, (uintptr_t)lock, stack_node_with(t, pc));
        thread_outside(t);
    }
    held_add(t, lock, mode, pc);
}

void lock_giving_up(struct thread *t, const volatile void *lock, uintptr_t pc)
{
    struct step s;
    struct race_found found;
    enum held_mode mode = held_remove(t, lock, pc);
    found.conflict.earlier = 0;
    if (mode == HELD_READING) {
        object_used(t, lock, true, pc);
        t->inside++;
        sync_publish_reader(t, (uintptr_t)lock);
        thread_outside(t);
        return;
    }
    count(SYNC);
    begin(&s, t, lock, true, pc);
    use(&s, &found);
    bool publish = likely(t->ignore_sync == 0);
    if (publish) {
        struct sync *sync = sync_of(s.record, s.address);
        uint32_t slots = load_acquire(&thread_slots);
        sync_make_room(&sync->released, slots);
        mailbox_publish(&sync->released, t->clock, slots, thread_epoch(t));
        if (mode != NOT_HELD)
            mailbox_forget(&sync->readers); /* it has acquired what they released */
    }
    end(&s, publish, &found);
}

bool lock_last_use(uintptr_t lock, uint32_t half, struct access_site *site)
{
    const struct record *record = record_peek(shadow_of(lock));
    const struct sync *s = record != NULL ? sync_find(record, lock) : NULL;
    if (s == NULL)
        return false;
    struct lock_use used = s->used; /* may change under us: then its epoch does */
    if (used.epoch != half || load_acquire(&s->used.epoch) != half)
        return false;
    *site = (struct access_site){
        .pc = used.pc, .node = used.node, .kind = ATOMIC_READ, .address = lock, .size = 1};
    return true;
}

/* Without the lock, for reports: another object's stack at worst, and only while memory is used again. */
bool mutex_created_at(uintptr_t mutex, uint32_t *node)
{
    const struct record *record = record_peek(shadow_of(mutex));
    const struct sync *s = record != NULL ? sync_find(record, mutex) : NULL;
    *node = s != NULL ? load_relaxed(&s->created) : 0;
    return *node != 0;
}
