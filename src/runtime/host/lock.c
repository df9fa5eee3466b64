/* runtime/intercept/lock.h on the generic host. */
#include "runtime/intercept/lock.h"

#include "runtime/annotations.h"
#include "runtime/host/access.h"
#include "runtime/host/held.h"
#include "runtime/host/lock_turns.h"
#include "runtime/host/memory.h"
#include "runtime/host/posts.h"
#include "runtime/host/recorder.h"
#include "runtime/sync.h"

const bool lock_taken_compares = false;

/* The use of the lock's memory, which may be destroyed meanwhile. */
static void use(struct thread *t, struct race_access_live *a, struct race_found *found,
                const volatile void *lock, uintptr_t pc)
{
    *a = (struct race_access_live){.address = (uintptr_t)lock, .pc = pc, .size = 1, .kind = ATOMIC_READ};
    if (caller_instrumented(pc))
        access_event(t, a, found);
    else
        *found = (struct race_found){0};
}

/* Is it to be recorded that the lock is taken, or given up, as one thing? */
static bool is_recorded(const struct thread *t, const volatile void *lock, enum held_mode mode, bool taken)
{
    return recorder_on && t->host->stream != NULL && held_event_wanted(t, lock, mode, taken);
}

static bool is_used(const struct thread *t, uintptr_t pc)
{
    return caller_instrumented(pc) && !thread_ignores(t, ATOMIC_READ);
}

static void taken_for_writing(struct thread *t, const volatile void *lock, enum held_mode mode, uintptr_t pc)
{
    struct race_access_live a;
    struct race_found found = {0};
    t->inside++;
    bool recorded = is_recorded(t, lock, mode, true) && is_used(t, pc) && !annotations_any_benign();
    if (recorded && lock_turns_take(t, (uintptr_t)lock, pc)) {
        thread_outside(t);
        return;
    }
    events_enter();
    struct host_sync *s = memory_sync((uintptr_t)lock, recorded);
    if (s != NULL && likely(t->ignore_sync == 0)) {
        posts_learn(&s->released, t->host);
        posts_learn(&s->readers, t->host);
    }
    /* The use after the acquire: one thread at a time, each ordered after the one before. */
    if (recorded) {
        recorder_take(t, s, pc);
        lock_turns_begin(s, t);
    } else {
        use(t, &a, &found, lock, pc);
        held_event(t, lock, mode, true);
    }
    events_leave();
    access_tell(t, &a, &found);
    thread_outside(t);
}

void lock_taken(struct thread *t, const volatile void *lock, enum held_mode mode, uintptr_t pc)
{
    if (mode != HELD_READING) {
        taken_for_writing(t, lock, mode, pc);
    } else {
        t->inside++;
        sync_acquire(t, (uintptr_t)lock);
        thread_outside(t);
        object_used(t, lock, true, pc);
    }
    t->host->tells_held = mode != HELD_READING;
    held_add(t, lock, mode, pc);
    t->host->tells_held = false;
}

void lock_giving_up(struct thread *t, const volatile void *lock, uintptr_t pc)
{
    struct race_access_live a;
    struct race_found found;
    t->host->tells_held = true;
    enum held_mode mode = held_remove(t, lock, pc);
    t->host->tells_held = false;
    if (mode == HELD_READING)
        object_used(t, lock, true, pc);
    t->inside++;
    if (mode == HELD_READING) {
        events_enter();
        held_event(t, lock, mode, false);
        events_leave();
        sync_publish_reader(t, (uintptr_t)lock);
        thread_outside(t);
        return;
    }
    bool recorded = mode != NOT_HELD && is_recorded(t, lock, mode, false);
    if (recorded && lock_turns_give(t, (uintptr_t)lock, is_used(t, pc), pc)) {
        thread_outside(t);
        return;
    }
    events_enter();
    use(t, &a, &found, lock, pc);
    if (mode != NOT_HELD && !recorded)
        held_event(t, lock, mode, false);
    if (likely(t->ignore_sync == 0)) {
        struct host_sync *s = memory_sync((uintptr_t)lock, true);
        if (recorded)
            recorder_give(t, s);
        else
            posts_publish(&s->released, t->host);
        if (mode != NOT_HELD)
            posts_forget(&s->readers); /* it has acquired what they released */
        if (recorded)
            lock_turns_begin(s, NULL);
    }
    events_leave();
    access_tell(t, &a, &found);
    thread_outside(t);
}
