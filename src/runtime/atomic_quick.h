/* Atomic operations without the lock of the variable's record (shadow/atomic.h): of 1 to 8 bytes. */
#pragma once

#include "runtime/atomic_sync.h"

/* The thread, if nothing stands in the way of a short cut. */
hot_inline struct thread *atomic_thread(void)
{
    struct thread *t = thread_self;
    return likely(t != NULL) && likely((t->inside | t->ignore_reads | t->ignore_writes | t->ignore_sync) == 0)
               ? t
               : NULL;
}

/* A glance at the variable, and the access that it is about. */
struct atomic_glance {
    struct glance glance;
    struct thread *thread; /* it is in the shadow from a successful beginning to the end */
    enum glance_answer answer;
};

/* Out of line: writes the note, and the history first. */
HIDDEN bool atomic_note(struct atomic_glance *g, const struct access *a);

/* A relaxed load or read-modify-write: does it need nothing but to be done, and to be noted, which it is
 * then? */
hot_inline bool atomic_only_do(const volatile void *variable, size_t size, enum access_kind kind, int order,
                               uintptr_t pc)
{
    uintptr_t address = (uintptr_t)variable;
    if ((order & ORDER_MASK) != ORDER_RELAXED || load_relaxed(&atomic_fences_exist))
        return false;
    struct atomic_glance g;
    struct thread *t = g.thread = atomic_thread();
    if (unlikely(t == NULL) || unlikely((address & (size - 1)) != 0) || unlikely(!gate_enter(&t->actor.gate)))
        return false;
    bool noted = false;
    if (likely(glance_begin(&g.glance, address))) {
        g.answer = glance_look(&g.glance, address, size, kind, &t->actor);
        if (likely(g.answer == GLANCE_NOTED)) {
            noted = glance_holds(&g.glance);
        } else if (likely(g.answer == GLANCE_MAY)) {
            struct atomic_glance copy = g; /* the original stays in registers */
            noted = atomic_note(
                &copy, &(struct access){
                           .address = address, .pc = pc, .size = (uint32_t)size, .kind = (uint8_t)kind});
        }
    }
    gate_leave(&t->actor.gate);
    return noted;
}

/* After the operation, if so. Nothing is left to do here (host/atomic_quick.h has something): a handler that comes
 * between note and operation comes after the access, as one between a check and its plain access does. */
hot_inline void atomic_done(void)
{
}

/* A load:
 *   if (atomic_glance(...)) { load; if (atomic_glanced_again(...)) done; } otherwise atomic_begin ... */

hot_inline bool atomic_glance(struct atomic_glance *g, const volatile void *variable, size_t size)
{
    struct thread *t = g->thread = atomic_thread();
    uintptr_t address = (uintptr_t)variable;
    if (unlikely(t == NULL) || unlikely((address & (size - 1)) != 0) || unlikely(!gate_enter(&t->actor.gate)))
        return false;
    if (likely(glance_begin(&g->glance, address))) {
        g->answer = glance_look(&g->glance, address, size, ATOMIC_READ, &t->actor);
        if (likely(g->answer != GLANCE_NO))
            return true;
    }
    gate_leave(&t->actor.gate);
    return false;
}

HIDDEN bool atomic_glanced(struct atomic_glance *g, const volatile void *variable, size_t size, int order,
                           uintptr_t pc);

/* mailbox_known() for a mailbox that may be changing; with a relaxed order, known to A will do. */
hot_inline bool atomic_known(const struct mailbox *m, const struct thread *t, int order)
{
    epoch snapshot = {load_relaxed(&m->snapshot.v)};
    if (load_relaxed(&m->length) == 0)
        return true;
    if (epoch_is_none(snapshot))
        return false;
    return epoch_before(snapshot, t->clock) ||
           (!order_acquires(order) && t->loaded.clock != NULL && epoch_before(snapshot, t->loaded.clock));
}

/* Has the thread nothing to learn there? */
hot_inline bool atomic_all_known(const struct sync *s, const struct thread *t, int order)
{
    return s == NULL || (atomic_known(&s->stored, t, order) && atomic_known(&s->released, t, order));
}

/* The same for a load that is noted and has nothing to learn: all that is left is to see whether the glance
 * holds. */
hot_inline bool atomic_glanced_again(const struct atomic_glance *g, const volatile void *variable,
                                     size_t size, int order, uintptr_t pc)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE); /* the value, then its clock */
    const struct sync *s = load_acquire(&g->glance.record->sync);
    if (likely(g->answer == GLANCE_NOTED) && likely(s == NULL || s->byte == ((uintptr_t)variable & 3)) &&
        likely(atomic_all_known(s, g->thread, order))) {
        bool holds = glance_holds(&g->glance);
        gate_leave(&g->thread->actor.gate);
        return count_if(ATOMICS, true, holds);
    }
    struct atomic_glance copy = *g; /* the original stays in registers */
    return atomic_glanced(&copy, variable, size, order, pc);
}
