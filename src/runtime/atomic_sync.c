#include "runtime/atomic_quick.h"

#include "base/count.h"
#include "runtime/access.h"
#include "runtime/init.h"
#include "runtime/past_sync.h"
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

/* Returns whether the thread has learned something. */
static bool acquire(struct thread *t, const struct sync *s, int order)
{
    if (s == NULL || unlikely(t->ignore_sync != 0))
        return false;
    if (order_acquires(order)) {
        bool learned = mailbox_acquire(&s->stored, t->clock);
        return mailbox_acquire(&s->released, t->clock) || learned;
    }
    remember(t, &s->stored);
    remember(t, &s->released);
    return false;
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
    (void)size;
    if (unlikely(t->inside != 0))
        return false;
    (void)*(const volatile char *)variable;
    count(ATOMICS);
    t->inside++;
    world_enter(t);
    s->thread = t;
    s->address = (uintptr_t)variable;
    s->record = atomic_lock(s->address);
    s->special = s->record->special;
    s->changes = may_change(s, how, order);
    return true;
}

/* order: HISTORY_ACQUIRES, HISTORY_RELEASES. An access that orders something is remembered also where the
 * shadow has it. */
hot_inline void check(struct atomic_step *s, const struct race_access_live *a, unsigned order, bool learned,
                      struct race_found *found)
{
    struct thread *t = s->thread;
    if (thread_ignores(t, a->kind)) {
        *found = (struct race_found){0};
        return;
    }
    shadow_atomic(s->record, a->address, a->size, a->kind, &t->actor, found);
    if (found->changed > 0 || learned || order & HISTORY_RELEASES)
        history_add(t, &(struct access){.address = a->address,
                                        .pc = a->pc,
                                        .size = (uint32_t)a->size,
                                        .kind = (uint8_t)a->kind,
                                        .order = (uint8_t)order});
}

/* Others' glances hold if nothing has changed. A record without atomic part, of an access that is ignored,
 * may be folded. */
hot_inline void unlock(struct atomic_step *s, bool changed)
{
    if (unlikely(s->record->cell[0].aw == 0 && s->record->cell[0].ar == 0))
        record_unlock(s->record);
    else if (s->changes || changed || s->special != s->record->special)
        record_release(s->record);
    else
        record_release_same(s->record);
}

hot_inline void end(struct atomic_step *s, const struct race_access_live *a, const struct race_found *found,
                    bool tick)
{
    struct thread *t = s->thread;
    unlock(s, found->changed != 0);
    if (tick)
        thread_tick(t);
    if (unlikely(found->conflict.earlier != 0))
        access_tell(t, a, found);
    world_leave(t);
    thread_outside(t);
}

hot_inline unsigned acquires_bit(int order)
{
    return order_acquires(order) ? HISTORY_ACQUIRES : 0;
}

hot_inline unsigned releases_bit(int order)
{
    return order_releases(order) ? HISTORY_RELEASES : 0;
}

void atomic_loaded(struct atomic_step *s, size_t size, int order, uintptr_t pc)
{
    struct race_access_live a = {.address = s->address, .pc = pc, .size = size, .kind = ATOMIC_READ};
    struct race_found found;
    bool learned = acquire(s->thread, sync_find(s->record, s->address), order);
    check(s, &a, acquires_bit(order), learned, &found);
    end(s, &a, &found, false);
}

void atomic_stored(struct atomic_step *s, size_t size, int order, uintptr_t pc)
{
    struct race_access_live a = {.address = s->address, .pc = pc, .size = size, .kind = ATOMIC_WRITE};
    struct race_found found;
    check(s, &a, releases_bit(order), false, &found);
    end(s, &a, &found, s->changes && store_released(s, order));
}

void atomic_modified(struct atomic_step *s, size_t size, int order, uintptr_t pc)
{
    struct race_access_live a = {.address = s->address, .pc = pc, .size = size, .kind = ATOMIC_WRITE};
    struct race_found found;
    bool learned = acquire(s->thread, sync_find(s->record, s->address), order);
    check(s, &a, acquires_bit(order) | releases_bit(order), learned, &found);
    end(s, &a, &found, s->changes && modification_released(s, order));
}

/* --- a load without the lock --- */

/* `inside` keeps a signal handler from the shadow; one that was there before has left the gate. */
bool atomic_note(struct atomic_glance *g, const struct access *a)
{
    struct thread *t = g->thread;
    t->inside++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    bool noted = false;
    if (likely(t->actor.gate.inside)) {
        history_add(t, a);
        noted = glance_note(&g->glance, t->actor.now);
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread_outside(t);
    return noted;
}

/* What a load is about to learn. */
struct lesson {
    uint32_t length;
    uint32_t clock[64];
};

/* False: too much, or it is changing. */
static bool copy(struct lesson *to, const struct mailbox *m, const struct glance *g)
{
    const uint32_t *clock = load_relaxed(&m->clock);
    uint32_t length = load_relaxed(&m->length);
    if (length > array_length(to->clock) || !glance_holds(g)) /* if it does, there are so many */
        return false;
    vclock_copy(to->clock, clock, length);
    to->length = length;
    return true;
}

/* L, as far as it is not known. False: not without the lock. */
static bool copy_unknown(struct lesson lesson[2], const struct sync *s, const struct atomic_glance *g,
                         int order)
{
    const struct mailbox *mailbox[] = {&s->stored, &s->released};
    const struct thread *t = g->thread;
    for (unsigned i = 0; i < 2; i++) {
        lesson[i].length = 0;
        if (!atomic_known(mailbox[i], t, order) &&
            (!order_acquires(order) || !copy(&lesson[i], mailbox[i], &g->glance)))
            return false;
    }
    return true;
}

hot_inline bool note_or_hold(struct atomic_glance *g, const struct access *a)
{
    return g->answer == GLANCE_MAY ? atomic_note(g, a) : glance_holds(&g->glance);
}

static __attribute__((noinline)) bool learn(struct atomic_glance *g, const struct sync *s,
                                            const struct access *a, int order)
{
    struct lesson lesson[2];
    if (!copy_unknown(lesson, s, g, order) || !note_or_hold(g, a))
        return false;
    if (g->answer == GLANCE_NOTED && order_acquires(order))
        history_add(g->thread, a);
    for (unsigned i = 0; i < 2; i++)
        vclock_join(g->thread->clock, lesson[i].clock, lesson[i].length);
    return true;
}

hot_inline bool glanced(struct atomic_glance *g, const struct access *a, int order)
{
    /* The value, then its clock: whoever writes does it the other way. */
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    const struct sync *s = load_acquire(&g->glance.record->sync);
    while (unlikely(s != NULL && s->byte != (a->address & 3)))
        s = s->next;
    if (likely(atomic_all_known(s, g->thread, order)))
        return note_or_hold(g, a);
    return learn(g, s, a, order);
}

bool atomic_glanced(struct atomic_glance *g, const volatile void *variable, size_t size, int order,
                    uintptr_t pc)
{
    struct access a = {.address = (uintptr_t)variable,
                       .pc = pc,
                       .size = (uint32_t)size,
                       .kind = ATOMIC_READ,
                       .order = (uint8_t)acquires_bit(order)};
    bool done = glanced(g, &a, order);
    gate_leave(&g->thread->actor.gate);
    if (done)
        count(ATOMICS);
    return done;
}

/* --- fences --- */

void atomic_fence(int order)
{
    struct thread *t = likely(thread_self != NULL) ? thread_self : early();
    store_relaxed(&atomic_fences_exist, true);
    if (unlikely(t->inside != 0 || t->ignore_sync != 0))
        return;
    t->inside++;
    world_enter(t);
    if (order_acquires(order) && t->loaded.length > 0) { /* C ⊔= A; from here on A ⊑ C: nothing new in it */
        vclock_join(t->clock, t->loaded.clock, t->loaded.length);
        t->loaded.length = 0;
    }
    if (order_releases(order)) {
        past_sync_add(t, SYNC_FENCE, HISTORY_RELEASES, 0, 0);
        sync_make_whole(&t->fenced);
        mailbox_release(&t->fenced, t->clock, load_acquire(&thread_slots), thread_epoch(t));
        thread_tick(t);
    }
    world_leave(t);
    thread_outside(t);
}
