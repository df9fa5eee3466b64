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

/* NOT_HERE: nothing has changed. GOES_ON: the access is the next step of a loop, and those that follow may
 * wait. */
enum third { DONE, GOES_ON, NOT_HERE };

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

hot_inline bool third_possible(const struct thread *t, const struct open_run *open, enum access_kind kind)
{
    return likely((t->inside | t->ignore[kind_writes(kind)]) == 0) && likely(history_is_current(t)) &&
           likely(open->from == 0);
}

/* The same, where the first access of an epoch, or in a function, says the context of those that follow. */
hot_inline bool third_prepared(struct thread *t, const struct open_run *open, enum access_kind kind)
{
    if (unlikely((t->inside | t->ignore[kind_writes(kind)]) != 0) || unlikely(open->from != 0))
        return false;
    if (unlikely(!history_is_current(t)))
        history_context_slow(t);
    return true;
}

/* The step was made, and has changed a word. */
hot_inline enum third third_remember(struct thread *t, struct open_run *open, const struct access *a)
{
    if (!history_next(t, open, a))
        return DONE;
    history_run(t, a, open);
    return open->may_wait ? GOES_ON : DONE;
}

/* The same for the short ways: the others are rare. */
hot_inline bool surely_one_chunk(uintptr_t address, size_t size)
{
    return size <= 8 ? address % size == 0 : in_one_chunk(address, size);
}

/* In a chunk that is the thread's own: the commonest case, which has a short way of its own. */
hot_inline enum third own_path(struct thread *t, struct open_run *open, uintptr_t address, size_t size,
                               enum access_kind kind, uintptr_t pc)
{
    uint64_t was;
    if (unlikely(!surely_one_chunk(address, size)) || unlikely(!third_possible(t, open, kind)) ||
        unlikely(!one_step_alone(&t->actor, address, size / 4, kind, &was)))
        return NOT_HERE;
    if (kind == PLAIN_READ && size == 8)
        peek_ahead(address, was);
    return third_remember(
        t, open,
        &(struct access){.address = address, .pc = pc, .size = (uint32_t)size, .kind = (uint8_t)kind});
}

/* A read in a frozen one. That it was noted in this epoch is asked without being in the chunk (frozen_noted). */
hot_inline enum third frozen_path(struct thread *t, struct open_run *open, uintptr_t address, size_t size,
                                  uintptr_t pc)
{
    struct notes *notes = frozen_notes(&t->actor, owner_chunk(address));
    if (unlikely(notes == NULL) || unlikely(!surely_one_chunk(address, size)))
        return NOT_HERE;
    if (notes_all_now(&notes->read[address / 4 % CHUNK_WORDS], size / 4, t->actor.now))
        return DONE;
    if (unlikely(!third_possible(t, open, PLAIN_READ)) ||
        unlikely(!one_step_frozen(&t->actor, notes, address, size / 4)))
        return NOT_HERE;
    return third_remember(
        t, open, &(struct access){.address = address, .pc = pc, .size = (uint32_t)size, .kind = PLAIN_READ});
}

/* A read of a word that many threads read. */
hot_inline enum third readers_path(struct thread *t, struct open_run *open, uintptr_t address, size_t size,
                                   uintptr_t pc)
{
    if (unlikely(!in_one_chunk(address, size)) || unlikely(!third_prepared(t, open, PLAIN_READ)) ||
        !one_step_among_readers(&t->actor, address, size / 4))
        return NOT_HERE;
    return third_remember(
        t, open, &(struct access){.address = address, .pc = pc, .size = (uint32_t)size, .kind = PLAIN_READ});
}

/* In any chunk. */
hot_inline enum third third_path(struct thread *t, struct open_run *open, uintptr_t address, size_t size,
                                 enum access_kind kind, uintptr_t pc)
{
    bool changed;
    if (unlikely(!in_one_chunk(address, size)) || unlikely(!third_prepared(t, open, kind)) ||
        !one_step(&t->actor, address, size / 4, kind, &changed))
        return NOT_HERE;
    if (unlikely(!changed))
        return DONE;
    enum third third = third_remember(
        t, open,
        &(struct access){.address = address, .pc = pc, .size = (uint32_t)size, .kind = (uint8_t)kind});
    if (likely(t->actor.met == NULL))
        return third;
    return third == DONE ? NOT_HERE : third;
}
