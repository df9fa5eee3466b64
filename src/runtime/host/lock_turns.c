#include "runtime/host/lock_turns.h"

#include "runtime/annotations.h"
#include "runtime/host/posts.h"
#include "runtime/host/recorder.h"
#include "runtime/host/stream.h"
#include "runtime/stack.h"

/* May the lock's holders have it alone? Of another one's spin lock, or that of another tape, we know nothing: in the
 * child of a fork, who held that is not there any more. */
static bool may_be_alone(const struct host_sync *s, uintptr_t lock)
{
    return load_relaxed(&s->turns.alone) && load_relaxed(&s->address) == lock &&
           load_relaxed(&s->tape) == recorder_tape;
}

/* The sync object of the lock, with its spin lock held, if holders have it alone, and this one, or nobody, has it now;
 * or NULL. */
static struct host_sync *enter(uintptr_t lock, uint32_t taker)
{
    struct host_sync *s = memory_sync_seen(lock);
    if (s == NULL || !may_be_alone(s, lock))
        return NULL;
    spin_lock(&s->turns.lock);
    if (likely(may_be_alone(s, lock) && s->turns.taker == taker))
        return s;
    spin_unlock(&s->turns.lock);
    return NULL;
}

bool lock_turns_take(struct thread *t, uintptr_t lock, uintptr_t pc)
{
    struct stream *stream = t->host->stream;
    if (unlikely(!stream_is_ready(stream)))
        return false;
    uint32_t site = stream_site(stream, pc, stack_node(t)); /* may need the host's lock */
    struct host_sync *s = enter(lock, 0);
    if (s == NULL)
        return false;
    bool again = s->turns.giver == t->id + 1;
    stream_take(stream, s->lock, site, again ? 0 : s->turns.given, s->turns.since);
    s->turns.taker = t->id + 1;
    spin_unlock(&s->turns.lock);
    stream_repeats_atomic(
        stream, &(struct race_access_live){.address = lock, .size = 1, .kind = ATOMIC_READ}, stream->clears);
    return true;
}

/* Giving it up is a use of its memory, too. Should it not be alone after all, it is not told again. */
static void use(struct thread *t, uintptr_t lock, uintptr_t pc)
{
    struct stream *s = t->host->stream;
    struct race_access_live a = {.address = lock, .pc = pc, .size = 1, .kind = ATOMIC_READ};
    if (!stream_repeats_atomic(s, &a, s->clears))
        stream_put(t, s, &a);
}

bool lock_turns_give(struct thread *t, uintptr_t lock, bool is_used, uintptr_t pc)
{
    struct stream *stream = t->host->stream;
    if (unlikely(annotations_any_benign() || !stream_is_ready(stream)))
        return false;
    if (is_used)
        use(t, lock, pc);
    if (unlikely(!stream_is_ready(stream)))
        return false;
    struct host_sync *s = enter(lock, t->id + 1);
    if (s == NULL)
        return false;
    stream_give(stream, s->lock);
    s->turns.giver = t->id + 1;
    s->turns.taker = 0;
    s->turns.given++;
    s->turns.when = posts_next(t->host);
    s->turns.moved = true;
    spin_unlock(&s->turns.lock);
    return true;
}

void lock_turns_begin(struct host_sync *s, const struct thread *taker)
{
    uint32_t by;
    bool sole = s->lock != 0 && s->tape == recorder_tape && s->readers.length == 0 &&
                s->released.length == 1 && s->released.clock[0] == s->posted && posts_sole(s->posted, &by);
    if (!sole)
        return;
    spin_lock(&s->turns.lock);
    s->turns.alone = true;
    s->turns.moved = false;
    s->turns.giver = by + 1;
    s->turns.taker = taker != NULL ? taker->id + 1 : 0;
    s->turns.since = recorder_latest();
    spin_unlock(&s->turns.lock);
}

/* In the child of a fork, who held the spin lock is not there any more; there is another tape. */
void lock_turns_end_slow(struct host_sync *s)
{
    if (unlikely(s->tape != recorder_tape)) {
        s->turns = (struct lock_turns){0};
        return;
    }
    spin_lock(&s->turns.lock);
    s->turns.alone = false;
    if (s->turns.moved) {
        posts_moved(s->posted, s->turns.giver - 1, s->turns.when);
        recorder_turns_of_lock(s);
    }
    spin_unlock(&s->turns.lock);
}
