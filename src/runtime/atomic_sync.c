#include "runtime/atomic_sync.h"

#include "runtime/access.h"
#include "runtime/init.h"
#include "runtime/world.h"

/* --- acquiring --- */

bool atomic_fences_exist;

/* A ⊔= L */
static void remember(struct thread *t, const struct mailbox *m)
{
    if (likely(!load_relaxed(&atomic_fences_exist)) || mailbox_known(m, t->clock) ||
        (t->loaded.clock != NULL && mailbox_known(m, t->loaded.clock)))
        return;
    sync_make_whole(&t->loaded); /* it is compared with epochs of any slot */
    vclock_join(t->loaded.clock, m->clock, m->length);
    t->loaded.length = t->loaded.length > m->length ? t->loaded.length : m->length;
}

static void acquire(struct thread *t, const struct sync *s, int order)
{
    if (s == NULL || unlikely(t->ignore_sync != 0))
        return;
    if (order_acquires(order)) {
        mailbox_acquire(&s->stored, t->clock);
        mailbox_acquire(&s->released, t->clock);
    } else {
        remember(t, &s->stored);
        remember(t, &s->released);
    }
}

/* --- releasing --- */

/* L := C or L ⊔= C. The thread ticks when the step is over. */
static void release_now(struct thread *t, struct mailbox *m, bool replace)
{
    uint32_t slots = load_acquire(&thread_slots);
    sync_make_room(m, slots);
    if (replace)
        mailbox_release(m, t->clock, slots, thread_epoch(t));
    else
        mailbox_publish(m, t->clock, slots, thread_epoch(t));
}

/* The same with F, which is not empty. */
static void release_fenced(struct thread *t, struct mailbox *m, bool replace)
{
    const struct mailbox *f = &t->fenced;
    sync_make_room(m, f->length);
    if (replace)
        mailbox_release(m, f->clock, f->length, f->snapshot);
    else
        mailbox_publish(m, f->clock, f->length, f->snapshot);
}

/* Returns whether the thread must tick. */
static bool store_released(struct atomic_step *s, int order)
{
    struct thread *t = s->thread;
    if (unlikely(t->ignore_sync != 0))
        order = ORDER_RELAXED;
    if (order_releases(order)) {
        release_now(t, &sync_of(s->record, s->address)->stored, true);
        return true;
    }
    if (unlikely(t->fenced.length > 0) && t->ignore_sync == 0) {
        release_fenced(t, &sync_of(s->record, s->address)->stored, true);
        return false;
    }
    struct sync *sync = sync_find(s->record, s->address);
    if (sync != NULL)
        mailbox_forget(&sync->stored);
    return false;
}

static bool modification_released(struct atomic_step *s, int order)
{
    struct thread *t = s->thread;
    if (unlikely(t->ignore_sync != 0))
        return false;
    if (order_releases(order)) { /* if it has acquired L as well, L ⊑ C: the join is C */
        release_now(t, &sync_of(s->record, s->address)->stored, order_acquires(order));
        return true;
    }
    if (unlikely(t->fenced.length > 0))
        release_fenced(t, &sync_of(s->record, s->address)->stored, false);
    return false;
}

/* --- one step --- */

static cold_path struct thread *early(void)
{
    runtime_start();
    return thread_current();
}

/* A store replaces whatever clock there is; a relaxed one without fence needs to only if there is one. */
static bool may_change(const struct atomic_step *s, enum atomic_how how, int order)
{
    if (how == ATOMIC_LOAD)
        return false;
    if (order_releases(order) || s->thread->fenced.length > 0)
        return true;
    const struct sync *sync = sync_find(s->record, s->address);
    return how == ATOMIC_STORE && sync != NULL && sync->stored.length > 0;
}

bool atomic_begin(struct atomic_step *s, const volatile void *variable, size_t size, enum atomic_how how,
                  int order)
{
    struct thread *t = likely(thread_self != NULL) ? thread_self : early();
    if (unlikely(t->inside != 0))
        return false;
    (void)*(const volatile char *)variable;
    access_flush(t);
    t->inside++;
    world_enter(t);
    s->thread = t;
    s->address = (uintptr_t)variable;
    s->record = atomic_lock(s->address, size, &t->actor, &s->own);
    s->changes = may_change(s, how, order);
    if (s->changes)
        record_change_begin(s->record);
    return true;
}

hot_inline void check(struct atomic_step *s, const struct race_access_live *a, struct race_found *found)
{
    struct thread *t = s->thread;
    if (thread_ignores(t, a->kind)) {
        found->conflict.earlier = 0;
        return;
    }
    if (a->kind == ATOMIC_READ)
        shadow_atomic_read(s->record, a->address, a->size, &t->actor, found);
    else
        shadow_atomic_write(s->record, a->address, a->size, &t->actor, found);
    if (found->changed > 0)
        access_remember(t, a, found);
}

hot_inline void end(struct atomic_step *s, const struct race_access_live *a, const struct race_found *found,
                    bool tick)
{
    struct thread *t = s->thread;
    if (s->changes)
        record_change_end(s->record);
    record_unlock(s->record);
    owner_end(&t->actor.owner, s->own);
    if (tick)
        thread_tick(t);
    if (unlikely(found->conflict.earlier != 0))
        access_tell(t, a, found);
    world_leave(t);
    t->inside--;
}

void atomic_loaded(struct atomic_step *s, size_t size, int order, uintptr_t pc)
{
    struct race_access_live a = {.address = s->address, .pc = pc, .size = size, .kind = ATOMIC_READ};
    struct race_found found;
    acquire(s->thread, sync_find(s->record, s->address), order);
    check(s, &a, &found);
    end(s, &a, &found, false);
}

void atomic_stored(struct atomic_step *s, size_t size, int order, uintptr_t pc)
{
    struct race_access_live a = {.address = s->address, .pc = pc, .size = size, .kind = ATOMIC_WRITE};
    struct race_found found;
    check(s, &a, &found);
    end(s, &a, &found, s->changes && store_released(s, order));
}

void atomic_modified(struct atomic_step *s, size_t size, int order, uintptr_t pc)
{
    struct race_access_live a = {.address = s->address, .pc = pc, .size = size, .kind = ATOMIC_WRITE};
    struct race_found found;
    acquire(s->thread, sync_find(s->record, s->address), order);
    check(s, &a, &found);
    end(s, &a, &found, s->changes && modification_released(s, order));
}

/* --- a load without the lock --- */

/* mailbox_known() for a mailbox that may be changing; with a relaxed order, known to A will do. */
static bool known(const struct mailbox *m, const struct thread *t, int order)
{
    epoch snapshot = {load_relaxed(&m->snapshot.v)};
    if (load_relaxed(&m->length) == 0)
        return true;
    if (epoch_is_none(snapshot))
        return false;
    return epoch_before(snapshot, t->clock) ||
           (!order_acquires(order) && t->loaded.clock != NULL && epoch_before(snapshot, t->loaded.clock));
}

static bool still_known(const struct atomic_glance *g, const volatile void *variable, int order)
{
    __atomic_thread_fence(
        __ATOMIC_ACQUIRE); /* the value, then its clock: whoever writes does it the other way */
    const struct sync *s = load_acquire(&g->glance.record->sync);
    while (unlikely(s != NULL && s->byte != ((uintptr_t)variable & 3)))
        s = s->next;
    if (s != NULL && !(known(&s->stored, g->thread, order) && known(&s->released, g->thread, order)))
        return false;
    return glance_holds(&g->glance);
}

bool atomic_glanced(const struct atomic_glance *g, const volatile void *variable, int order)
{
    bool known_still = still_known(g, variable, order);
    owner_leave(&g->thread->actor.owner);
    return known_still;
}

/* --- fences --- */

void atomic_fence(int order)
{
    struct thread *t = likely(thread_self != NULL) ? thread_self : early();
    store_relaxed(&atomic_fences_exist, true);
    if (unlikely(t->inside != 0 || t->ignore_sync != 0))
        return;
    access_flush(t);
    t->inside++;
    world_enter(t);
    if (order_acquires(order) && t->loaded.length > 0) { /* C ⊔= A; from here on A ⊑ C: nothing new in it */
        vclock_join(t->clock, t->loaded.clock, t->loaded.length);
        t->loaded.length = 0;
    }
    if (order_releases(order)) {
        sync_make_whole(&t->fenced);
        mailbox_release(&t->fenced, t->clock, load_acquire(&thread_slots), thread_epoch(t));
        thread_tick(t);
    }
    world_leave(t);
    t->inside--;
}
