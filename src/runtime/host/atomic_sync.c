/* runtime/atomic_sync.h on the generic host: its table, with sets of posts for L, F and A (host/posts.h). The
 * lock is held around the real operation, the events it means, and the check. */
#include "runtime/host/atomic_quick.h"

#include "runtime/host/access.h"
#include "runtime/host/memory.h"
#include "runtime/host/posts.h"
#include "runtime/host/stream.h"
#include "runtime/init.h"

bool atomic_fences_exist;
struct news news[NEWS_COUNTS];

static cold_path struct thread *early(void)
{
    runtime_start();
    return thread_current();
}

bool atomic_begin(struct atomic_step *s, const volatile void *variable, size_t size, enum atomic_how how,
                  int order)
{
    struct thread *t = likely(thread_self != NULL) ? thread_self : early();
    (void)size, (void)order;
    if (unlikely(t->inside != 0))
        return false;
    (void)*(const volatile char *)variable;
    t->inside++;
    s->thread = t;
    s->address = (uintptr_t)variable;
    events_enter();
    if (how != ATOMIC_LOAD)
        news_add(s->address);
    return true;
}

static void acquire_posts(struct host_thread *h, const struct host_sync *sync, int order)
{
    if (order_acquires(order)) {
        posts_learn(&sync->stored, h);
        posts_learn(&sync->released, h);
    } else if (load_relaxed(&atomic_fences_exist)) {
        posts_join(&h->loaded, &sync->stored);
        posts_join(&h->loaded, &sync->released);
    }
}

static void acquire(struct thread *t, uintptr_t address, int order)
{
    const struct host_sync *sync = memory_sync(address, false);
    if (unlikely(t->ignore_sync != 0))
        return;
    if (sync != NULL)
        acquire_posts(t->host, sync, order);
    if (order_acquires(order) && t->host->stream != NULL)
        stream_learned(t->host->stream, address, news_now(address));
}

/* What a store puts in the place of L; a relaxed one F, which may be empty. */
static void store_released(struct thread *t, uintptr_t address, int order)
{
    const struct mailbox *fenced = &t->host->fenced;
    bool releases = t->ignore_sync == 0 && order_releases(order),
         fences = t->ignore_sync == 0 && fenced->length > 0;
    struct host_sync *sync = memory_sync(address, releases || fences);
    if (sync == NULL)
        return;
    posts_forget(&sync->stored);
    if (releases)
        posts_publish(&sync->stored, t->host);
    else if (fences)
        posts_join(&sync->stored, fenced);
}

static void modification_released(struct thread *t, uintptr_t address, int order)
{
    const struct mailbox *fenced = &t->host->fenced;
    if (t->ignore_sync != 0)
        return;
    if (order_releases(order))
        posts_publish(&memory_sync(address, true)->stored, t->host);
    else if (fenced->length > 0)
        posts_join(&memory_sync(address, true)->stored, fenced);
}

static void end(struct atomic_step *s, const struct race_access_live *a, const struct race_found *found)
{
    events_leave();
    access_tell(s->thread, a, found);
    thread_outside(s->thread);
}

void atomic_loaded(struct atomic_step *s, size_t size, int order, uintptr_t pc)
{
    struct race_access_live a = {.address = s->address, .pc = pc, .size = size, .kind = ATOMIC_READ};
    struct race_found found;
    acquire(s->thread, s->address, order);
    access_event(s->thread, &a, &found);
    end(s, &a, &found);
}

void atomic_stored(struct atomic_step *s, size_t size, int order, uintptr_t pc)
{
    struct race_access_live a = {.address = s->address, .pc = pc, .size = size, .kind = ATOMIC_WRITE};
    struct race_found found;
    access_event(s->thread, &a, &found);
    store_released(s->thread, s->address, order);
    end(s, &a, &found);
}

void atomic_modified(struct atomic_step *s, size_t size, int order, uintptr_t pc)
{
    struct race_access_live a = {.address = s->address, .pc = pc, .size = size, .kind = ATOMIC_WRITE};
    struct race_found found;
    acquire(s->thread, s->address, order);
    access_event(s->thread, &a, &found);
    modification_released(s->thread, s->address, order);
    end(s, &a, &found);
}

/* --- without the lock --- */

/* The thread, if it has a stream and nothing is ignored. */
static struct thread *recorded_thread(void)
{
    struct thread *t = thread_self;
    return likely(t != NULL) && likely((t->inside | t->ignore_reads | t->ignore_writes | t->ignore_sync) == 0) &&
                   likely(t->host != NULL && t->host->stream != NULL)
               ? t
               : NULL;
}

/* The same, and it enters: as atomic_begin, where a wild pointer has faulted. */
static struct thread *enter(const volatile void *variable)
{
    struct thread *t = recorded_thread();
    if (unlikely(t == NULL))
        return NULL;
    (void)*(const volatile char *)variable;
    stream_enter_first(t);
    return t;
}

bool atomic_put(const volatile void *variable, size_t size, enum access_kind kind, uintptr_t pc)
{
    struct thread *t = enter(variable);
    if (unlikely(t == NULL))
        return false;
    bool noted = stream_atomic(
        t, &(struct race_access_live){.address = (uintptr_t)variable, .pc = pc, .size = size, .kind = kind});
    if (unlikely(!noted))
        stream_leave_last(t);
    return noted;
}

void atomic_done(void)
{
    stream_leave_last(thread_self);
}

bool atomic_glance(struct atomic_glance *g, const volatile void *variable, size_t size)
{
    struct thread *t = g->thread = enter(variable);
    (void)size;
    if (unlikely(t == NULL))
        return false;
    g->news = news_now((uintptr_t)variable);
    bool knows = stream_has_learned(t->host->stream, (uintptr_t)variable, g->news);
    if (!knows)
        stream_leave_last(t);
    return knows;
}

bool atomic_glanced(struct atomic_glance *g, const volatile void *variable, size_t size, int order,
                    uintptr_t pc)
{
    bool noted =
        order_acquires(order) && likely(news_none((uintptr_t)variable, g->news)) &&
        stream_atomic(g->thread,
                      &(struct race_access_live){
                          .address = (uintptr_t)variable, .pc = pc, .size = size, .kind = ATOMIC_READ});
    stream_leave_last(g->thread);
    return noted;
}

/* --- fences --- */

void atomic_fence(int order)
{
    struct thread *t = likely(thread_self != NULL) ? thread_self : early();
    store_relaxed(&atomic_fences_exist, true);
    if (unlikely(t->inside != 0 || t->ignore_sync != 0))
        return;
    t->inside++;
    events_enter();
    if (order_acquires(order)) {
        posts_learn(&t->host->loaded, t->host);
        posts_forget(&t->host->loaded);
    }
    if (order_releases(order))
        posts_replace(&t->host->fenced, t->host);
    events_leave();
    thread_outside(t);
}
