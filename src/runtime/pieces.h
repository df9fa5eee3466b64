/* Loops over memory, checked a piece at a time.
 *
 * An access that is the next step of a loop (it extends a run of the history, runtime/history.h) need not go
 * to the shadow at once: the thread remembers how far the loop has come, and checks the accesses of many
 * steps together, when the loop leaves the chunk of memory, when the loop ends, and before the thread
 * synchronizes: while its epoch and its clock are still those of the accesses. Of two accesses that race,
 * whichever is checked second finds the race.
 *
 * Nobody can tell that accesses wait. A piece lies in one chunk that is the thread's own, or frozen
 * (shadow/owner.h). Whoever wants the chunk, also to free or to unmap the memory, first gets it from the
 * thread by the protocol there, then stops the piece, and checks what waits in the thread's place
 * (owner_settle), before anything in the chunk changes.
 *
 *   open_run.from       0: no piece. Written by the thread while it is in the chunk, or by who has taken the
 * chunk open_run.waits_at   where the piece goes on. 0: it is not to be extended
 *
 * One instruction extends a piece, and nothing is announced; a signal handler, which may well use the same
 * place, comes before or after. The instruction is not a locked one, so it may undo what another thread does
 * at the same moment:
 *
 *   thread                                     who has taken the chunk
 *   waits_at = a?  waits_at := a + step        next := waits_at, waits_at := 0, by compare-and-swap
 *                                              membarrier: the instruction is over in every thread
 *                                              waits_at = 0?  it stays so : once more
 *
 * After the membarrier the thread sees 0 and keeps off, unless its instruction, begun before, has written
 * since: then that can be seen. Nothing is lost, because a compare-and-swap takes just the value that it
 * makes 0.
 *
 * Bytes: a loop over characters is a run of whole words, and its piece is extended by bytes.
 */
#pragma once

#include "base/count.h"
#include "runtime/history.h"

hot_inline uint8_t piece_unit(unsigned size, enum access_kind kind)
{
    return (uint8_t)(size << 1 | (kind == PLAIN_WRITE));
}

/* True: the access waits in its piece, and all is done. */
hot_inline bool piece_extended(const struct thread *t, struct open_run *open, uintptr_t address,
                               unsigned size, enum access_kind kind, uintptr_t pc)
{
    return open->waits_at == address && open->pc == pc && open->unit == piece_unit(size, kind) &&
           open->node == t->top->node && open->end != (uint32_t)address &&
           count_if(IN_PIECES, true,
                    likely(cas_alone(&open->waits_at, address, address + (uintptr_t)(intptr_t)open->step)));
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

/* Before a thread has the first piece, or gathers the first byte. */
HIDDEN void pieces_may_wait(struct thread *t);

/* The chunks were taken from the thread: what waits there, bytes too (runtime/gather.h), is checked in its place. */
HIDDEN void pieces_settle(struct owner_view *view, uint32_t chunk, uint32_t count);

/* Does an access to these bytes wait? */
HIDDEN bool pieces_wait(const struct thread *t, uintptr_t address, size_t size);

/* Sees to it that what another thread has waiting at these addresses is checked. */
HIDDEN void pieces_take(struct thread *other, uintptr_t address, size_t size);

/* While the world is stopped: the thread's pieces are not extended any more, and it checks them when it goes
 * on. */
HIDDEN void pieces_stop(struct thread *t);

/* In the child of a fork: what the parent's other threads have waiting is the parent's. */
HIDDEN void pieces_forget(struct thread *t);
