/* Bytes, gathered.
 *
 * A loop over characters touches every word four times. Instead of expanding each word for its first byte and
 * folding it again at the fourth, the bytes of a word are gathered in the thread and checked together: as a
 * whole word when all four were touched, otherwise when another word needs the place. All of them are checked
 * before the thread's next synchronization, while its epoch and clock are still those of the accesses;
 * another thread's access in between is found by whichever of the two checks comes second.
 *
 * What must not come in between is that the memory is given back and out again: the bytes would be compared
 * with what others do with the new block. So a word is only begun in a chunk that is the thread's own, shared
 * or frozen, and whoever is about to change what the memory is takes the word from the thread, marks it so,
 * and checks it in the thread's place.
 *
 * Own: that is whoever takes the chunk (runtime/pieces.h, owner_settle), while it is nobody's. The thread
 * itself checks only while it is in the chunk.
 *
 * Shared or frozen: that is whoever gets a block from malloc() there. Until then the shadow says that the old
 * block was freed. So do those who unmap memory, or end the process. The thread itself checks with its lock
 * held; or, when all four bytes are there, after taking the word back, for which others wait.
 *
 * The thread does not add to a word that was taken, but begins anew; it does not check it, but remembers
 * where it was. The instruction that adds bytes is not a locked one, and nothing is announced: it may undo
 * the mark, as with pieces, and is found out in the same way, by looking again after a membarrier.
 */
#pragma once

#include "runtime/thread.h"

hot_inline unsigned gather_place(uintptr_t address, enum access_kind kind)
{
    uint32_t word = (uint32_t)(address >> 2) * UINT32_C(0x9e3779b1);
    return kind * PENDING_WORDS + word / (UINT32_MAX / PENDING_WORDS + 1);
}

/* Part of the site's node: the bytes are part of an access that is in the history already. */
#define GATHER_REMEMBERED (UINT32_C(1) << 31)

hot_inline bool gather_any(const struct thread *t)
{
    uint64_t any = 0;
#pragma GCC unroll 8 /* asked at every lock */
    for (unsigned i = 0; i < CHECKING; i++)
        any |= t->pending[i];
    return any != 0;
}

hot_inline uint64_t gather_bits(uintptr_t address, unsigned size)
{
    return (uint64_t)(address & ~(uintptr_t)3) << 4 | (uint64_t)((1u << size) - 1) << (address & 3);
}

/* Are they pending already? */
hot_inline bool gather_has_all(const struct thread *t, uintptr_t address, unsigned size,
                               enum access_kind kind)
{
    uint64_t bits = gather_bits(address, size), pending = t->pending[gather_place(address, kind)];
    return pending >> 4 == bits >> 4 && (bits & ~pending) == 0;
}

hot_inline void gather_sites(struct pending_sites *at, uintptr_t address, unsigned size, uintptr_t pc,
                             uint32_t node)
{
    for (unsigned i = address & 3, end = i + size; i < end; i++) {
        at->pc[i] = pc;
        at->node[i] = node;
    }
}

/* Chunks that are no thread's, in which something has ever waited: found by a part of the chunk's number. In all others that are
 * no thread's nothing waits. */
enum { WAITED_MARKS = 1 << 14 };
extern HIDDEN bool waited_marks[WAITED_MARKS];

hot_inline bool has_waited(uint32_t chunk)
{
    return load_relaxed(&waited_marks[chunk % WAITED_MARKS]);
}

/* Before it does. */
hot_inline void mark_waited(uint32_t chunk)
{
    if (unlikely(!has_waited(chunk)))
        store_relaxed(&waited_marks[chunk % WAITED_MARKS], true);
}

/* The first bytes of a word. False: its chunk is another thread's, or somebody is about to stop the world; or
 * a signal handler has come between. */
hot_inline bool gather_begin(struct thread *t, unsigned place, uintptr_t address, unsigned size,
                             enum access_kind kind, uintptr_t pc, uint32_t node)
{
    struct owner_view *view = &t->actor.owner;
    uint32_t chunk = owner_chunk(address), owner = owner_announce(view, chunk);
    bool own = owner_is_quick(view, owner), done = false;
    if (likely(own) || (load_relaxed(&view->quick_shared) == OWNER_SHARED &&
                        (owner == OWNER_SHARED || (owner == OWNER_FROZEN && kind == PLAIN_READ)))) {
        if (own && kind == PLAIN_WRITE)
            owner_writes(chunk);
        if (!own)
            mark_waited(chunk);
        gather_sites(&t->sites[place], address, size, pc, node);
        done = cas_alone(&t->pending[place], 0, gather_bits(address, size));
    }
    owner_leave(view);
    return done;
}

/* More of them. *after: what is pending then. False: another word is pending there, or it was taken, or a
 * signal handler has come between. */
hot_inline bool gather_more(struct thread *t, unsigned place, uintptr_t address, unsigned size, uintptr_t pc,
                            uint32_t node, uint64_t *after)
{
    uint64_t before = t->pending[place];
    if (before >> 4 != (address & ~(uintptr_t)3))
        return false;
    gather_sites(&t->sites[place], address, size, pc, node);
    *after = before | gather_bits(address, size);
    return cas_alone(&t->pending[place], before, *after);
}

/* Nobody takes the word any more: others wait until it is no longer at the place where words are being
 * checked. False: it was taken. */
hot_inline bool gather_take_back(struct thread *t, unsigned place, enum access_kind kind, uint64_t pending)
{
    unsigned checking = CHECKING + kind;
    t->sites[checking] = t->sites[place];
    store_relaxed(&t->pending[checking], pending);
    if (likely(cas_acq_rel(&t->pending[place], &pending, 0)))
        return true;
    store_relaxed(&t->pending[checking], 0);
    return false;
}

/* `left`: 0, or the word, which is not checked after all. */
hot_inline void gather_taken_back(struct thread *t, unsigned place, enum access_kind kind, uint64_t left)
{
    store_release(&t->pending[place], left);
    store_release(&t->pending[CHECKING + kind], 0);
}

/* Makes room there, and sees to it that a word of the chunk may be begun, unless it soon is another thread's
 * again. */
HIDDEN void gather_prepare(struct thread *t, uintptr_t address, enum access_kind kind);

/* Checks what is pending there, or in all places. */
HIDDEN void gather_flush_word(struct thread *t, unsigned place);
HIDDEN void gather_flush(struct thread *t);

/* --- in the place of another thread --- */

/* Has it something pending of these bytes, or is it at something there? */
HIDDEN bool gather_has(const struct thread *t, uintptr_t address, size_t size);

/* Has any thread, while the world is stopped? More bytes may come, but only to a word that has some. */
HIDDEN bool gather_waits_in(uint32_t chunk);

/* It is taken, and checked. */
HIDDEN void gather_take(struct thread *self, struct thread *other, uintptr_t address, size_t size);

/* The chunks were taken from the thread. Marks the words that are pending there and nobody had taken yet.
 * Returns which: one bit for each place. To be called again after a membarrier, until there are none. */
HIDDEN uint32_t gather_stop(struct thread *t, uint32_t chunk, uint32_t count);

/* ... and after that they are checked. */
HIDDEN void gather_settle(struct thread *t, uint32_t marked, struct actor *actor);

/* In the child of a fork: it is the parent's. */
HIDDEN void gather_forget(struct thread *t);

struct race_found;
struct access_site;

/* For reports: an access that was checked by another thread in its own one's place is in no history yet. */
HIDDEN bool gather_find(const struct thread *t, const struct race_found *found, struct access_site *site);
