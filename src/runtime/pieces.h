/* Loops over memory, checked a piece at a time.
 *
 * An access that is the next step of a loop (it extends a run of the history, runtime/history.h) need not go
 * to the shadow at once: the thread remembers how far the loop has come, and checks the accesses of many
 * steps together, when the loop leaves the chunk of memory, when the loop ends, and before the thread
 * synchronizes: while its epoch and its clock are still those of the accesses. Of two accesses that race,
 * whichever is checked second finds the race.
 *
 * Nobody can tell that accesses wait. A piece lies in one chunk that is the thread's own, or frozen
 * (shadow/owner.h), and is extended only while the thread is announced in it. Whoever wants the chunk, also
 * to free or to unmap the memory, first gets it from the thread by the protocol there, and then checks what
 * waits in the thread's place (owner_settle), before anything in the chunk changes.
 *
 *   open_run.from       0: no piece. Written by the thread while it is in the chunk, or by who has taken the
 * chunk from it open_run.waits_at   0: the piece is not to be extended. One instruction extends it: a signal
 * handler, which may well use the same place, comes before or after
 *
 * Bytes: a loop over characters is a run of whole words, and its piece is extended by bytes.
 */
#pragma once

#include "runtime/history.h"

hot_inline uint32_t piece_unit(unsigned size, enum access_kind kind)
{
    return size << 4 | (uint32_t)kind;
}

/* True: the access waits in its piece, and all is done. */
hot_inline bool piece_extended(struct thread *t, uintptr_t address, unsigned size, enum access_kind kind,
                               uintptr_t pc)
{
    struct open_run *open = &t->open[history_place(pc)];
    if (open->waits_at != address || open->pc != pc || open->unit != piece_unit(size, kind) ||
        open->node != t->top->node || ((address + size - 1) ^ open->from) >> OWNER_CHUNK_BITS != 0)
        return false;
    struct owner_view *view = &t->actor.owner;
    uint32_t owner = owner_announce(view, owner_chunk(address));
    bool in =
        likely(owner == load_relaxed(&view->quick)) ||
        (kind == PLAIN_READ && owner == OWNER_FROZEN && load_relaxed(&view->quick_shared) == OWNER_SHARED);
    in = likely(in) && cas_alone(&open->waits_at, address, address + (uintptr_t)(intptr_t)open->step);
    owner_leave(view);
    return likely(in);
}

/* The access was checked and has extended the run of its place: those that follow may wait. `size` is what
 * they will have: a part of the run's where bytes are gathered. */
HIDDEN void piece_begin(struct thread *t, uintptr_t pc, unsigned size, enum access_kind kind);

/* Checks what waits there, or in all places. */
HIDDEN void piece_flush(struct thread *t, struct open_run *open);
HIDDEN void pieces_flush(struct thread *t);

/* The place has a piece that the access could not extend: it is checked. True: the access begins the next
 * one. */
HIDDEN bool piece_next(struct thread *t, uintptr_t address, unsigned size, enum access_kind kind,
                       uintptr_t pc);

/* Sees to it that what another thread has waiting at these addresses is checked. */
HIDDEN void pieces_take(struct thread *other, uintptr_t address, size_t size);

/* In the child of a fork: what the parent's other threads have waiting is the parent's. */
HIDDEN void pieces_forget(struct thread *t);
