/* The fast path of first accesses: the same-epoch test of an entry point has failed.
 *
 *   first_access   4 or 8 aligned bytes, one state, at most one earlier reader, all of it ordered before: one
 *                  compare-and-swap and one line of history, straight through
 *   word_by_word   whole words in any plain state, still without a lock; noinline
 *   access_slow    everything else, and races (runtime/access.h)
 *
 * Each takes over from the one before at the same access: words that are done are found in the same-epoch
 * state. For runtime/abi_access.c alone.
 */
#pragma once

#include "base/count.h"
#include "runtime/access.h"
#include "runtime/history.h"
#include "shadow/freed.h"
#include "shadow/pair.h"
#include "shadow/same_epoch.h"

/* --- history --- */

static __attribute__((noinline)) void remember_slow(uintptr_t address, uintptr_t pc, uint32_t size,
                                                    enum access_kind kind)
{
    history_add(thread_self,
                &(struct access){.address = address, .pc = pc, .size = size, .kind = (uint8_t)kind});
}

/* The common cases: the context was said, and the access extends no run. */
hot_inline void remember(struct thread *t, uintptr_t address, uintptr_t pc, uint32_t size,
                         enum access_kind kind)
{
    struct access a = {.address = address, .pc = pc, .size = size, .kind = (uint8_t)kind};
    struct open_run *open = &t->open[history_place(pc)];
    uint32_t live = t->context.live;
    if (unlikely(t->context.node != t->top->node) || unlikely(t->history->head >= t->context.until) ||
        unlikely(live == 0)) {
        remember_slow(address, pc, size, kind);
        return;
    }
    if (likely(open->pc == pc) && likely(open->key == history_key(&a)) && likely(open->context == live)) {
        if (open->next == address && likely(open->stride != 0)) {
            if (!history_extended(t, open))
                remember_slow(address, pc, size, kind);
            return;
        }
        if (unlikely(open->run != 0)) {
            remember_slow(address, pc, size, kind);
            return;
        }
        history_jumped(open, &a);
    } else {
        history_new_place(t, open, &a);
    }
    history_put(t->history, history_access(&a), address);
}

/* --- word by word --- */

/* The word was empty when the step was made, and its memory was freed meanwhile (shadow/freed.h). */
cold_path static void met_free(uintptr_t address, uintptr_t pc, uint32_t size, enum access_kind kind)
{
    struct thread *t = thread_self;
    struct race_access_live a = {.address = address, .pc = pc, .size = size, .kind = kind};
    gate_leave(&t->actor.gate);
    history_add(t, &(struct access){.address = address, .pc = pc, .size = size, .kind = (uint8_t)kind});
    access_met_free(t, &a);
}

/* May an empty word be changed here? Its chunk is known to sweeps, and its memory was not freed. */
hot_inline bool empty_ready(const uint64_t *word)
{
    return likely(chunk_used(shadow_chunk(word))) && !freed_any(word, 1);
}

enum words_answer { WORDS_DONE, WORDS_SLOW, WORDS_MET_FREE };

/* `count` words from this one on; the thread is inside its gate. */
hot_inline enum words_answer words_step(uint64_t *word, size_t count, enum access_kind kind, struct actor *t,
                                        bool *changed)
{
    for (const uint64_t *end = word + count; word < end;) {
        uint64_t seen = load_acquire(word), to;
        if (state_same_epoch(seen, kind, t->now)) {
            word++;
            continue;
        }
        if (kind == PLAIN_READ && is_vector(read_half(seen)) && !word_expanded(seen)) {
            if (unlikely(!half_before(write_half(seen), t->clock)) || unlikely(!vector_possible(t->now)))
                return WORDS_SLOW;
            enum readers_answer answer = readers_add(word, seen, t);
            if (unlikely(answer == READERS_AGAIN))
                return WORDS_SLOW;
            *changed |= answer == READERS_ADDED;
            word++;
            continue;
        }
        if (state_simple(seen) && state_ordered(seen, t)) {
            to = state_after(seen, kind, t->now);
        } else {
            to = kind == PLAIN_READ ? state_after_known(seen, t) : 0;
            if (to == 0)
                return WORDS_SLOW;
            if (to == seen) { /* a reader of this epoch */
                word++;
                continue;
            }
            set_memo_served(&t->memo, true);
        }
        if (seen == 0 && unlikely(!empty_ready(word)))
            return WORDS_SLOW;
        bool two = end - word >= 2 && is_pair(word) && load_acquire(word + 1) == seen;
        uint64_t from = seen;
        if (unlikely(two ? !cas_pair(word, seen, seen, to) : !cas_acq_rel(word, &from, to)))
            return WORDS_SLOW;
        *changed = true;
        if (seen == 0 && unlikely(freed_any(word, 1)))
            return WORDS_MET_FREE;
        word += 1 + two;
    }
    return WORDS_DONE;
}

hot_inline bool fast_possible(const struct thread *t, enum access_kind kind)
{
    return likely(t != NULL) && likely((t->inside | t->ignore[kind_writes(kind)] | t->single_threaded) == 0);
}

/* Whole words, some of which may have been accessed in this epoch. */
static __attribute__((noinline)) void word_by_word(uintptr_t address, uintptr_t pc, uint32_t size,
                                                   enum access_kind kind)
{
    struct thread *t = thread_self;
    bool changed = false;
    if (unlikely(address % 4 != 0) || unlikely(!fast_possible(t, kind)) ||
        unlikely(!gate_enter(&t->actor.gate))) {
        access_slow(address, size, kind, pc);
        return;
    }
    enum words_answer answer = words_step(shadow_of(address), size / 4, kind, &t->actor, &changed);
    if (unlikely(answer == WORDS_MET_FREE)) {
        met_free(address, pc, size, kind);
        return;
    }
    gate_leave(&t->actor.gate);
    if (changed)
        remember(t, address, pc, size, kind);
    if (unlikely(answer == WORDS_SLOW))
        access_slow(address, size, kind, pc);
}

/* --- one or two bytes of a word whose bytes differ (shadow/bytes.h) --- */

/* The thread is inside its gate. False: not here, or not all of them. */
hot_inline bool bytes_step(uintptr_t address, uint32_t size, enum access_kind kind, struct actor *t,
                           bool *changed)
{
    if (!word_paged(load_acquire(shadow_of(address))))
        return false;
    uint64_t *cell = byte_cell(address);
    for (uint32_t i = 0; i < size; i++) {
        uint64_t seen = load_acquire(&cell[i]), from = seen;
        if (state_same_epoch(seen, kind, t->now))
            continue;
        uint64_t to = state_simple(seen) && state_ordered(seen, t) ? state_after(seen, kind, t->now)
                      : kind == PLAIN_READ                         ? state_after_known(seen, t)
                                                                   : 0;
        if (to == seen) /* a reader of this epoch */
            continue;
        if (to != 0) {
            if (!cas_acq_rel(&cell[i], &from, to))
                return false;
            set_memo_served(&t->memo, to >> 63);
            *changed = true;
            continue;
        }
        if (kind == PLAIN_WRITE || word_expanded(seen) || !is_vector(read_half(seen)) ||
            !half_before(write_half(seen), t->clock) || !vector_possible(t->now))
            return false;
        enum readers_answer answer = readers_add(&cell[i], seen, t);
        if (answer == READERS_AGAIN)
            return false;
        *changed |= answer == READERS_ADDED;
    }
    return true;
}

/* Aligned: in one word. */
hot_inline void first_bytes(uintptr_t address, uintptr_t pc, uint32_t size, enum access_kind kind)
{
    struct thread *t = thread_self;
    bool changed = false;
    if (unlikely(address % size != 0) || unlikely(!fast_possible(t, kind)) ||
        unlikely(!gate_enter(&t->actor.gate))) {
        access_slow(address, size, kind, pc);
        return;
    }
    bool done = bytes_step(address, size, kind, &t->actor, &changed);
    gate_leave(&t->actor.gate);
    if (changed)
        remember(t, address, pc, size, kind);
    if (unlikely(!done))
        access_slow(address, size, kind, pc);
}

/* --- straight through --- */

hot_inline void first_access(uintptr_t address, uintptr_t pc, uint32_t size, enum access_kind kind)
{
    struct thread *t = thread_self;
    if (unlikely(address % size != 0) || unlikely(!fast_possible(t, kind)) ||
        unlikely(!gate_enter(&t->actor.gate))) {
        word_by_word(address, pc, size, kind);
        return;
    }
    uint64_t *word = shadow_of(address), seen = load_acquire(word), from = seen;
    if (unlikely(!state_simple(seen)) || unlikely(!state_ordered(seen, &t->actor)) ||
        (seen == 0 && unlikely(!empty_ready(word))) ||
        (size == 4 ? unlikely(!cas_acq_rel(word, &from, state_after(seen, kind, t->actor.now)))
                   : unlikely(!cas_pair(word, seen, seen, state_after(seen, kind, t->actor.now))))) {
        gate_leave(&t->actor.gate);
        word_by_word(address, pc, size, kind);
        return;
    }
    if (seen == 0 && unlikely(freed_any(word, 1))) {
        met_free(address, pc, size, kind);
        return;
    }
    gate_leave(&t->actor.gate);
    remember(t, address, pc, size, kind);
}
