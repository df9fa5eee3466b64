/* runtime/sync.h on the generic host: what is released is posts (host/posts.h). */
#include "runtime/sync.h"

#include "runtime/host/memory.h"
#include "runtime/host/posts.h"

static void acquire(struct thread *t, uintptr_t address, bool readers, bool stored)
{
    if (unlikely(t->ignore_sync != 0))
        return;
    events_enter();
    const struct host_sync *s = memory_sync(address, false);
    if (s != NULL) {
        posts_learn(&s->released, t->host);
        if (readers)
            posts_learn(&s->readers, t->host);
        if (stored)
            posts_learn(&s->stored, t->host);
    }
    events_leave();
}

void sync_acquire(struct thread *t, uintptr_t address)
{
    acquire(t, address, false, false);
}

void sync_acquire_exclusive(struct thread *t, uintptr_t address)
{
    acquire(t, address, true, false);
}

void sync_acquire_all(struct thread *t, uintptr_t address)
{
    acquire(t, address, true, true);
}

void sync_release(struct thread *t, uintptr_t address)
{
    if (unlikely(t->ignore_sync != 0))
        return;
    events_enter();
    struct host_sync *s = memory_sync(address, true);
    posts_replace(&s->released, t->host);
    posts_forget(&s->readers);
    events_leave();
}

static void publish(struct thread *t, uintptr_t address, bool reader)
{
    if (unlikely(t->ignore_sync != 0))
        return;
    events_enter();
    struct host_sync *s = memory_sync(address, true);
    posts_publish(reader ? &s->readers : &s->released, t->host);
    events_leave();
}

void sync_publish(struct thread *t, uintptr_t address)
{
    publish(t, address, false);
}

void sync_publish_reader(struct thread *t, uintptr_t address)
{
    publish(t, address, true);
}

void sync_publish_into(struct thread *t, struct mailbox *set)
{
    if (unlikely(t->ignore_sync != 0))
        return;
    events_enter();
    posts_publish(set, t->host);
    events_leave();
}

void sync_acquire_from(struct thread *t, const struct mailbox *set)
{
    if (unlikely(t->ignore_sync != 0))
        return;
    events_enter();
    posts_learn(set, t->host);
    events_leave();
}

void sync_forget(struct mailbox *set)
{
    events_enter();
    posts_forget(set);
    events_leave();
}

void sync_destroy(uintptr_t address)
{
    events_enter();
    struct host_sync *s = memory_sync(address, false);
    if (s != NULL) {
        posts_forget(&s->released);
        posts_forget(&s->readers);
        s->lock = s->tape = 0; /* what comes after it is another one, which no tape knows */
    }
    events_leave();
}

void *sync_attach(struct thread *t, uintptr_t address, void *own)
{
    (void)t;
    events_enter();
    struct host_sync *s = memory_sync(address, true);
    void *old = s->own;
    s->own = own;
    events_leave();
    return old;
}

void *sync_attached(struct thread *t, uintptr_t address)
{
    (void)t;
    events_enter();
    const struct host_sync *s = memory_sync(address, false);
    void *own = s != NULL ? s->own : NULL;
    events_leave();
    return own;
}
