/* Third path: the first access of an epoch to whole words.
 *
 * A comparison with the last such step (shadow/quick.h), a store, and an entry of the history. All that is
 * needed is looked at first: nothing has changed where it goes on to the fourth path (runtime/fourth_path.h).
 */
#pragma once

#include "runtime/history.h"
#include "runtime/peek.h"
#include "runtime/pieces.h"
#include "shadow/one_step.h"

_Static_assert((int)HISTORY_OPEN == (int)AFTER_PLACES, "history_place() is for both");

/* NOT_HERE: nothing has changed. CHANGED: the step was made, and has changed a word: the access is to be
 * remembered. */
enum third { DONE, CHANGED, NOT_HERE };

hot_inline struct open_run *place_of(struct thread *t, uintptr_t pc)
{
    struct open_run *open = &t->open[history_place(pc)];
    __asm__("" : "+r"(open)); /* worked out once */
    return open;
}

hot_inline bool in_one_chunk(uintptr_t address, size_t size)
{
    return size == 4 || address % (1 << OWNER_CHUNK_BITS) <= (1 << OWNER_CHUNK_BITS) - size;
}

/* May the thread's accesses be checked here? Whether their context was said is asked when they are
 * remembered. */
hot_inline bool third_possible(const struct thread *t, const struct open_run *open, enum access_kind kind)
{
    return likely((t->inside | t->ignore[kind_writes(kind)]) == 0) && likely(open->from == 0);
}

/* --- remembering: each of these is the last thing that an entry point does --- */

/* The access is where it was expected, and begins a run, or is one of those that may wait. */
static __attribute__((noinline)) void third_goes_on(uintptr_t address, uintptr_t pc, struct thread *t,
                                                    struct open_run *open, uint32_t key)
{
    struct access a = {.address = address, .pc = pc, .size = key >> 4, .kind = key & 7};
    history_run(t, &a, open);
    if (open->may_wait)
        piece_begin(t, pc, a.size, (enum access_kind)a.kind);
}

/* The context is another, or was said long ago; or the access ends a run. */
static __attribute__((noinline)) void third_begins(uintptr_t address, uintptr_t pc, struct thread *t,
                                                   struct open_run *open, uint32_t key)
{
    struct access a = {.address = address, .pc = pc, .size = key >> 4, .kind = key & 7};
    if (likely(!history_is_current(t)))
        history_context_slow(t);
    if (likely(open->context != t->context.live)) {
        history_new_place(t, open, &a);
        history_put(t->history, history_access(&a), address);
    } else if (unlikely(history_next(t, open, &a))) {
        third_goes_on(address, pc, t, open, key);
    }
}

hot_inline void third_remember(struct thread *t, struct open_run *open, const struct access *a)
{
    uint32_t key = history_key(a), live = t->context.live;
    if (unlikely(t->context.node != t->top->node) || unlikely(t->history->head >= t->context.until) ||
        unlikely(live == 0)) {
        third_begins(a->address, a->pc, t, open, key);
        return;
    }
    if (likely(open->pc == a->pc) && likely(open->key == key) && likely(open->context == live)) {
        if (open->next == a->address && likely(open->stride != 0)) {
            if (open->may_wait || !history_extended(t, open))
                third_goes_on(a->address, a->pc, t, open, key);
            return;
        }
        if (unlikely(open->run != 0)) {
            third_begins(a->address, a->pc, t, open, key);
            return;
        }
        history_jumped(open, a);
    } else {
        history_new_place(t, open, a);
    }
    history_put(t->history, history_access(a), a->address);
}

/* --- steps --- */

/* The same for the short ways: the others are rare. */
hot_inline bool surely_one_chunk(uintptr_t address, size_t size)
{
    return size <= 8 ? address % size == 0 : address % 4 == 0 && in_one_chunk(address, size);
}

/* A read in a frozen one. That it was noted in this epoch is asked without being in the chunk (frozen_noted). */
hot_inline enum third frozen_path(struct thread *t, const struct open_run *open, uintptr_t address,
                                  size_t size)
{
    struct notes *notes = frozen_notes(&t->actor, owner_chunk(address));
    if (unlikely(notes == NULL) || unlikely(!surely_one_chunk(address, size)))
        return NOT_HERE;
    if (notes_all_now(&notes->read[address / 4 % CHUNK_WORDS], size / 4, t->actor.now))
        return DONE;
    if (unlikely(!third_possible(t, open, PLAIN_READ)) ||
        unlikely(!one_step_frozen(&t->actor, notes, address, size / 4)))
        return NOT_HERE;
    return CHANGED;
}

/* A read of a word that many threads read. */
hot_inline enum third readers_path(struct thread *t, const struct open_run *open, uintptr_t address,
                                   size_t size)
{
    if (unlikely(!in_one_chunk(address, size)) || unlikely(!third_possible(t, open, PLAIN_READ)) ||
        !one_step_among_readers(&t->actor, address, size / 4))
        return NOT_HERE;
    return CHANGED;
}

/* In any chunk. A free() may have met the step: see actor.met. */
hot_inline enum third third_path(struct thread *t, const struct open_run *open, uintptr_t address,
                                 size_t size, enum access_kind kind)
{
    bool changed;
    if (unlikely(!in_one_chunk(address, size)) || unlikely(!third_possible(t, open, kind)) ||
        !one_step(&t->actor, address, size / 4, kind, &changed))
        return NOT_HERE;
    return likely(changed) ? CHANGED : DONE;
}
