/* Fourth path: any first access of an epoch, that step of the rules still made here. Whole words; bytes,
 * which are gathered to words, or have cells or notes of their own; accesses that begin or end inside a word.
 *
 * Everything else goes to access_slow, which finds words that were done here already in the same-epoch
 * state. For runtime/abi_access.c alone.
 */
#pragma once

#include "base/count.h"
#include "runtime/access.h"
#include "runtime/pieces.h"
#include "runtime/stack.h"
#include "runtime/third_path.h"
#include "shadow/byte_step.h"

/* Whole words of one chunk, where the thread is announced. Returns how many are done. */
hot_inline size_t announced_words(struct thread *t, uintptr_t address, size_t size, enum access_kind kind,
                                  uint32_t owner, uint32_t *changed)
{
    uint64_t *word = shadow_of(address);
    uint32_t chunk = owner_chunk(address);
    struct owner_view *view = &t->actor.owner;
    struct notes *notes;
    if (likely(owner_is_quick(view, owner))) {
        if (kind == PLAIN_WRITE)
            owner_writes(chunk);
        return quick_own(word, size / 4, kind, &t->actor, changed);
    }
    if (load_relaxed(&view->quick_shared) != OWNER_SHARED)
        return 0;
    if (likely(owner == OWNER_SHARED))
        return quick_shared(word, size / 4, kind, &t->actor, changed);
    if (kind == PLAIN_READ && owner == OWNER_FROZEN && (notes = frozen_notes(&t->actor, chunk)) != NULL)
        return frozen_read(notes, address, size / 4, &t->actor, changed);
    return 0;
}

/* The whole words of an access that begins at a word and stays in one chunk. Returns how many are done. */
hot_inline size_t words(struct thread *t, uintptr_t address, size_t size, enum access_kind kind,
                        uint32_t *changed)
{
    uint32_t chunk = owner_chunk(address);
    if (unlikely(size > 4 && owner_chunk(address + size - 1) != chunk))
        return 0;
    uint32_t owner = owner_announce(&t->actor.owner, chunk);
    size_t done = announced_words(t, address, size, kind, owner, changed);
    owner_leave(&t->actor.owner);
    return done;
}

/* A free() has met the access. */
static __attribute__((noinline)) void third_met(uintptr_t address, uintptr_t pc, uint32_t size,
                                                enum access_kind kind)
{
    struct access a = {.address = address, .pc = pc, .size = size, .kind = (uint8_t)kind};
    history_add(thread_self, &a);
    access_slow(address, size, kind, pc); /* tells of it */
}

/* --- whole words --- */

/* Words that were done here are remembered here: access_slow finds nothing new in them. `unit`: of which size
 * the program's accesses are. */
hot_inline void own_or_slow(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc,
                            unsigned unit)
{
    struct thread *t = thread_self;
    if (unlikely(t == NULL || t->inside != 0) || thread_ignores(t, kind)) {
        access_slow(address, size, kind, pc);
        return;
    }
    uint32_t changed = 0;
    bool loops = t->top->node != 0; /* or it is the first access since the call of this function */
    size_t done = words(t, address, size, kind, &changed);
    if (likely(changed > 0) &&
        history_add(
            t,
            &(struct access){.address = address, .pc = pc, .size = (uint32_t)size, .kind = (uint8_t)kind}) &&
        loops)
        piece_begin(t, pc, unit, kind);
    if (unlikely(done < size / 4) || unlikely(t->actor.met != NULL))
        access_slow(address, size, kind, pc);
}

/* Were all bytes accessed there? */
hot_inline bool one_place(const struct pending_sites *at, uintptr_t pc, uint32_t node)
{
    return ((at->pc[0] ^ pc) | (at->pc[1] ^ pc) | (at->pc[2] ^ pc) | (at->pc[3] ^ pc)) == 0 &&
           ((at->node[0] ^ node) | (at->node[1] ^ node) | (at->node[2] ^ node) | (at->node[3] ^ node)) == 0;
}

/* A whole word that was gathered at several places: each has its run of the history. */
static void several_places(struct thread *t, const struct pending_sites *at, uintptr_t base,
                           enum access_kind kind, unsigned size)
{
    unsigned loops = 0; /* the first bytes of accesses that go on a run */
    for (unsigned from = 0, to; from < 4; from = to) {
        to = from + 1;
        while (to < 4 && at->pc[to] == at->pc[from] && at->node[to] == at->node[from])
            to++;
        struct access a = {
            .address = base + from, .pc = at->pc[from], .size = to - from, .kind = (uint8_t)kind};
        if (at->node[from] & GATHER_REMEMBERED)
            continue;
        if (unlikely(at->node[from] != t->top->node))
            history_add_at(t, &a, at->node[from]);
        else if (history_add(t, &a) && a.size == size)
            loops |= 1u << from;
    }
    for (; loops != 0; loops &= loops - 1) {
        uintptr_t pc = at->pc[__builtin_ctz(loops)];
        if (t->open[history_place(pc)].next - base >= 4) /* else there is a later one in this word */
            piece_begin(t, pc, size, kind);
    }
}

/* Checks it if nobody has taken it. False: not in this way. While somebody takes the chunk the word stays
 * where that one looks for it. */
hot_inline bool check_whole(struct thread *t, unsigned place, enum access_kind kind, uint32_t *changed)
{
    struct owner_view *view = &t->actor.owner;
    uint64_t pending = t->pending[place];
    uintptr_t base = pending_base(pending);
    uint32_t owner = owner_announce(view, owner_chunk(base));
    bool done = false;
    if (likely(owner_is_quick(view, owner))) {
        if (likely(!pending_taken(load_relaxed(&t->pending[place]))) &&
            likely(announced_words(t, base, 4, kind, owner, changed) != 0)) {
            store_relaxed(&t->pending[place], 0);
            done = true;
        }
    } else if (owner_is_all(owner) && gather_take_back(t, place, kind, pending)) {
        done = announced_words(t, base, 4, kind, owner, changed) != 0;
        gather_taken_back(t, place, kind, done ? 0 : pending);
    }
    owner_leave(view);
    return done;
}

/* All four bytes of the word are gathered. */
static __attribute__((noinline)) void whole_word(unsigned place, unsigned size, enum access_kind kind,
                                                 uintptr_t pc, uint32_t node)
{
    struct thread *t = thread_self;
    const struct pending_sites *at = &t->sites[place];
    uintptr_t base = pending_base(t->pending[place]);
    uint32_t changed = 0;
    if (unlikely(!check_whole(t, place, kind, &changed))) {
        gather_flush_word(t, place);
        return;
    }
    count(WORDS);
    if (unlikely(t->actor.met != NULL))
        access_slow(base, 4, kind, pc); /* tells of the free() */
    else if (unlikely(changed == 0))
        return;
    else if (unlikely(!one_place(at, pc, node)))
        several_places(t, at, base, kind, size);
    else if (!(node & GATHER_REMEMBERED) &&
             history_add(t, &(struct access){.address = base, .pc = pc, .size = 4, .kind = (uint8_t)kind}))
        piece_begin(t, pc, size, kind);
}

/* Some bytes of a word: gathered (runtime/gather.h). `remembered`: GATHER_REMEMBERED, or 0. */
hot_inline bool gather(struct thread *t, uintptr_t address, unsigned size, enum access_kind kind,
                       uintptr_t pc, uint32_t remembered)
{
    unsigned place = gather_place(address, kind);
    uint32_t node = t->top->node | remembered;
    uint64_t after;
    if (unlikely((t->inside | t->ignore[kind_writes(kind)] | t->unlisted) != 0) ||
        unlikely(node == remembered))
        return false;
    if (t->pending[place] == 0)
        return count_if(IN_WORDS, remembered == 0, gather_begin(t, place, address, size, kind, pc, node));
    if (unlikely(
            !count_if(IN_WORDS, remembered == 0, gather_more(t, place, address, size, pc, node, &after))))
        return false;
    if ((after & 0xf) == 0xf)
        whole_word(place, size, kind, pc, node);
    return true;
}

/* ... where something was in the way. */
static bool gather_slow(struct thread *t, uintptr_t address, unsigned size, enum access_kind kind,
                        uintptr_t pc, uint32_t remembered)
{
    enum { TRIES = 3 };
    stack_node(t);
    for (unsigned tries = 0; tries < TRIES; tries++) {
        if (gather(t, address, size, kind, pc, remembered))
            return true;
        gather_prepare(t, address, kind);
    }
    return false;
}

/* --- accesses that begin or end inside a word ---
 *
 * Text is often read 8 bytes at a time from wherever something was found in it: most of them again and again.
 * Parts of words are gathered as single bytes are; the access is in the history when the first of it is not
 * new. */

/* The bytes are new: neither checked in this epoch, nor gathered. */
hot_inline bool is_new(const struct thread *t, uintptr_t address, unsigned size, enum access_kind kind)
{
    unsigned from = address & 3;
    return size > 0 && !gather_has_all(t, address, size, kind) &&
           !same_epoch_in_word(shadow_of(address), from, from + size, kind, t->actor.now);
}

/* False: not in this way, or not all of it. */
static bool in_parts(struct thread *t, uintptr_t address, unsigned size, enum access_kind kind, uintptr_t pc)
{
    uintptr_t end = address + size, first = (address + 3) & ~(uintptr_t)3, last = end & ~(uintptr_t)3;
    bool head = is_new(t, address, (unsigned)(first - address), kind);
    bool tail = is_new(t, last, (unsigned)(end - last), kind);
    uint32_t changed = 0;
    size_t done = first < last ? words(t, first, last - first, kind, &changed) : 0;
    bool all = first == last || (done == (last - first) / 4 && likely(t->actor.met == NULL));
    if (changed > 0 ||
        (all && (head || tail))) /* words that were done: access_slow finds nothing new in them */
        history_add(t, &(struct access){.address = address, .pc = pc, .size = size, .kind = (uint8_t)kind});
    if (unlikely(!all))
        return false;
    return (!head || gather_slow(t, address, (unsigned)(first - address), kind, pc, GATHER_REMEMBERED)) &&
           (!tail || gather_slow(t, last, (unsigned)(end - last), kind, pc, GATHER_REMEMBERED));
}

/* If not: the slow path. */
static bool may_gather(const struct thread *t, enum access_kind kind)
{
    return likely(t != NULL && t->inside == 0) && !thread_ignores(t, kind) && likely(accesses_may_wait);
}

static void not_aligned(uintptr_t address, unsigned size, enum access_kind kind, uintptr_t pc)
{
    struct thread *t = thread_self;
    if (!may_gather(t, kind) ||
        unlikely(load_relaxed(&t->attend) != 0) /* a new epoch may be waiting for it */ ||
        !in_parts(t, address, size, kind, pc))
        access_slow(address, size, kind, pc);
}

/* In one word, or in parts. */
static void some_bytes(uintptr_t address, unsigned size, enum access_kind kind, uintptr_t pc)
{
    struct thread *t = thread_self;
    if (!may_gather(t, kind))
        access_slow(address, size, kind, pc);
    else if (unlikely((address & 3) + size > 4))
        not_aligned(address, size, kind, pc);
    else if (!gather_slow(t, address, size, kind, pc, 0))
        access_slow(address, size, kind, pc);
}

hot_inline bool waits(uintptr_t address, unsigned size, enum access_kind kind, uintptr_t pc)
{
    struct thread *t = thread_self;
    return likely(t != NULL) && piece_extended(t, place_of(t, pc), address, size, kind, pc);
}

/* After that. */
hot_inline bool waits_in_next(uintptr_t address, unsigned size, enum access_kind kind, uintptr_t pc)
{
    struct thread *t = thread_self;
    return likely(t != NULL) && unlikely(t->open[history_place(pc)].from != 0) && t->inside == 0 &&
           piece_next(t, address, size, kind, pc);
}

/* The entry point cannot tell whether they were accessed in this epoch: not aligned, or in a record. */
hot_inline bool is_special(uintptr_t address, unsigned size)
{
    return unlikely(address & (size - 1)) || unlikely(word_expanded(load_relaxed(shadow_of(address))));
}

/* By a glance (shadow/byte_glance.h), or in this epoch already. */
hot_inline bool special_done(uintptr_t address, unsigned size, enum access_kind kind, uintptr_t pc)
{
    return (kind == PLAIN_READ && access_among_others(thread_self, address, size, 0, pc)) ||
           count_if(SAME_EPOCH, true, same_epoch(address, size, kind, thread_now));
}

/* --- in a chunk that has a page of cells (shadow/byte_page.h) --- */

/* ... and is the thread's own. */
hot_inline bool has_page(const struct thread *t, uintptr_t address)
{
    uint32_t chunk = owner_chunk(address);
    return unlikely(byte_page_of(chunk) != NULL) && likely(t != NULL) &&
           owner_is_own(&t->actor.owner, load_relaxed(&owner_table[chunk]));
}

hot_inline bool is_paged(uintptr_t address)
{
    return unlikely(word_paged(load_relaxed(shadow_of(address))));
}

/* False: not in this way, or not all of it. */
hot_inline bool in_page(uintptr_t address, unsigned size, enum access_kind kind, uintptr_t pc)
{
    struct thread *t = thread_self;
    uint32_t changed = 0;
    if (unlikely(t == NULL || t->inside != 0) || thread_ignores(t, kind))
        return false;
    bool loops = t->top->node != 0, done = byte_page_step(&t->actor, address, size, kind, &changed);
    if (changed > 0 &&
        history_add(t, &(struct access){.address = address, .pc = pc, .size = size, .kind = (uint8_t)kind}) &&
        size >= 4 && loops) /* bytes are gathered first: many of their loops are short */
        piece_begin(t, pc, size, kind);
    return done && likely(t->actor.shall_share == 0); /* the slow path sees to that */
}

/* The first access of an epoch to something there, or not. */
hot_inline bool paged_done(uintptr_t address, unsigned size, enum access_kind kind, uintptr_t pc)
{
    return count_if(SAME_EPOCH, true, same_epoch(address, size, kind, thread_now)) ||
           (likely(thread_self->open[history_place(pc)].from == 0) && in_page(address, size, kind, pc));
}

/* The chunk is frozen, and the thread has notes of its bytes (shadow/frozen.h). */
hot_inline bool noted(struct thread *t, uintptr_t address, unsigned size, uintptr_t pc)
{
    return unlikely(load_relaxed(&owner_table[owner_chunk(address)]) == OWNER_FROZEN) && likely(t != NULL) &&
           (count_if(SAME_EPOCH, true, frozen_bytes_noted(&t->actor, address, size)) ||
            access_among_others(t, address, size, 0, pc));
}
