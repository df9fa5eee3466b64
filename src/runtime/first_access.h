/* The fast path of first accesses: the same-epoch test of an entry point has failed.
 *
 *   first_access   4 or 8 aligned bytes, one state, at most one earlier reader, all of it ordered before: one
 *                  compare-and-swap and one line of history, straight through
 *   first_bytes    1 or 2 aligned bytes: a cell (shadow/bytes.h) or two
 *   range_access   any bytes in any plain states, still without a lock; noinline
 *   access_slow    everything else, and races (runtime/access.h)
 *
 * Each takes over from the one before at the same access: words that are done are found in the same-epoch
 * state. For runtime/abi_access.c alone.
 */
#pragma once

#include "base/count.h"
#include "runtime/access.h"
#include "runtime/history.h"
#include "runtime/loops.h"
#include "shadow/freed.h"
#include "shadow/mixed.h"
#include "shadow/pair.h"
#include "shadow/same_epoch.h"

/* --- history ---
 *
 * Inside the gate, where no signal handler comes in between. */

static __attribute__((noinline)) void remember_slow(uintptr_t address, uintptr_t pc, uint32_t size,
                                                    enum access_kind kind)
{
    history_add_slow(thread_self,
                     &(struct access){.address = address, .pc = pc, .size = size, .kind = (uint8_t)kind});
}

hot_inline void remember(struct thread *t, uintptr_t address, uintptr_t pc, uint32_t size,
                         enum access_kind kind)
{
    struct access a = {.address = address, .pc = pc, .size = size, .kind = (uint8_t)kind};
    if (likely(history_is_ready(t)))
        history_put(t, history_access(&a), address);
    else
        remember_slow(address, pc, size, kind);
}

/* --- word by word --- */

/* The word was empty when the step was made, and its memory was freed meanwhile (shadow/freed.h). */
cold_path static void met_free(uintptr_t address, uintptr_t pc, uint32_t size, enum access_kind kind)
{
    struct thread *t = thread_self;
    struct race_access_live a = {.address = address, .pc = pc, .size = size, .kind = kind};
    history_add(t, &(struct access){.address = address, .pc = pc, .size = size, .kind = (uint8_t)kind});
    gate_leave(&t->actor.gate);
    access_met_free(t, &a);
}

/* May an empty word be changed here? Its chunk is known to sweeps, and its memory was not freed. */
hot_inline bool empty_ready(const uint64_t *word)
{
    return likely(chunk_used(shadow_chunk(word))) && !freed_any(word);
}

enum step_answer { STEP_DONE, STEP_SLOW, STEP_MET_FREE };

/* An access to these bytes of the word's pair (shadow/mixed.h). After MIXED_AGAIN the slow path tries again. */
hot_inline enum mixed_answer mixed_bytes_step(const uint64_t *word, uint32_t bytes, enum access_kind kind,
                                              const struct actor *t, uint32_t *changed)
{
    uint64_t *pair = pair_of(word);
    if ((load_relaxed(pair) == 0 || load_relaxed(pair + 1) == 0) && unlikely(!empty_ready(pair)))
        return MIXED_NOT;
    enum mixed_answer answer = mixed_access(pair, bytes, kind, t);
    *changed += answer == MIXED_CHANGED;
    return answer;
}

static __attribute__((noinline)) enum mixed_answer mixed_read(const uint64_t *word, uint32_t bytes,
                                                              const struct actor *t, uint32_t *changed)
{
    return mixed_bytes_step(word, bytes, PLAIN_READ, t, changed);
}

static __attribute__((noinline)) enum mixed_answer mixed_write(const uint64_t *word, uint32_t bytes,
                                                               const struct actor *t, uint32_t *changed)
{
    return mixed_bytes_step(word, bytes, PLAIN_WRITE, t, changed);
}

hot_inline enum step_answer step_of(enum mixed_answer answer)
{
    return likely(answer <= MIXED_CHANGED) ? STEP_DONE : STEP_SLOW;
}

/* *word up to before `end`, or as far as they are plain; the thread is inside its gate. */
hot_inline enum step_answer words_step(uint64_t **at, const uint64_t *end, enum access_kind kind,
                                       struct actor *t, uint32_t *changed)
{
    for (uint64_t *word = *at; word < end; *at = word) {
        uint64_t seen = load_acquire(word);
        if (state_same_epoch(seen, kind, t->now)) {
            word++;
            continue;
        }
        if (unlikely(word_mixed(seen))) {
            if (end - word < 2 || !is_pair(word))
                return STEP_SLOW; /* a word by itself is not to be one of a mixed pair: it is plain from now on */
            enum step_answer answer =
                step_of((kind == PLAIN_READ ? mixed_read : mixed_write)(word, BOTH_WORDS, t, changed));
            if (answer != STEP_DONE)
                return answer;
            word += 2;
            continue;
        }
        if (kind == PLAIN_READ && is_vector(read_half(seen)) && !word_expanded(seen)) {
            if (unlikely(!half_before(write_half(seen), t->clock)) || unlikely(!vector_possible(t->now)))
                return STEP_SLOW;
            enum readers_answer answer = readers_add(word, seen, t);
            *changed += answer != READERS_KNOWN; /* an entry that is not believed may be found all the same */
            if (unlikely(answer == READERS_AGAIN))
                return STEP_SLOW;
            word++;
            continue;
        }
        uint64_t to = state_step(seen, kind, t);
        if (to == seen) {
            word++;
            continue;
        }
        if (to == 0)
            return STEP_SLOW;
        if (seen == 0 && unlikely(!empty_ready(word)))
            return STEP_SLOW;
        bool two = end - word >= 2 && is_pair(word) && load_acquire(word + 1) == seen;
        uint64_t from = seen;
        if (unlikely(two ? !cas_pair(word, seen, seen, to) : !cas_acq_rel(word, &from, to)))
            return STEP_SLOW;
        set_memo_served(&t->memo, to >> 63);
        if (to >> 63)
            set_memo_has(&t->memo, read_half(to), t->now);
        ++*changed;
        if (seen == 0 && unlikely(freed_any(word)))
            return STEP_MET_FREE;
        word += 1 + two;
    }
    return STEP_DONE;
}

hot_inline bool fast_possible(const struct thread *t, enum access_kind kind)
{
    return likely(t != NULL) && likely(!thread_unchecked(t, kind));
}

/* --- bytes of a word that differ (shadow/bytes.h) --- */

/* Makes the word PAGED if that is easy. Returns what it is then. */
hot_inline uint64_t materialize(uint64_t *word, uint64_t seen, struct actor *t)
{
    if (!word_expanded(seen) && !is_vector(read_half(seen)) && likely(bytes_at_hand(&t->groups)) &&
        (seen != 0 || empty_ready(word)))
        bytes_materialize(word, seen, t);
    return load_acquire(word);
}

/* One byte. */
hot_inline enum step_answer cell_step(uint64_t *cell, enum access_kind kind, struct actor *t,
                                      uint32_t *changed)
{
    uint64_t seen = load_acquire(cell), from = seen;
    if (state_same_epoch(seen, kind, t->now))
        return STEP_DONE;
    uint64_t to = state_step(seen, kind, t);
    if (to == seen)
        return STEP_DONE;
    if (likely(to != 0)) {
        if (unlikely(!cas_acq_rel(cell, &from, to)))
            return STEP_SLOW;
        set_memo_served(&t->memo, to >> 63);
        ++*changed;
        return STEP_DONE;
    }
    if (kind == PLAIN_WRITE || word_expanded(seen) || !is_vector(read_half(seen)) ||
        !half_before(write_half(seen), t->clock) || !vector_possible(t->now))
        return STEP_SLOW;
    enum readers_answer answer = readers_add(cell, seen, t);
    *changed += answer != READERS_KNOWN;
    return answer == READERS_AGAIN ? STEP_SLOW : STEP_DONE;
}

/* Four bytes of a PAGED word. Once more in an epoch: the slow path makes it a word again. */
hot_inline enum step_answer whole_step(uint64_t *cell, enum access_kind kind, struct actor *t,
                                       uint32_t *changed)
{
    uint32_t before = *changed;
    if (unlikely(!cells_step(cell, kind, t, changed)) || unlikely(!cells_step(cell + 2, kind, t, changed)))
        return STEP_SLOW;
    return likely(*changed != before) || !bytes_agree(cell) ? STEP_DONE : STEP_SLOW;
}

/* `size` bytes in one word; the thread is inside its gate. */
hot_inline enum step_answer bytes_step(uintptr_t address, uint32_t size, enum access_kind kind,
                                       struct actor *t, uint32_t *changed)
{
    uint64_t *word = shadow_of(address), whole = load_acquire(word);
    if (state_same_epoch(whole, kind, t->now))
        return STEP_DONE;
    if (!word_paged(whole)) {
        unsigned from = address & 3;
        uint32_t bytes = mixed_bytes(word, from, from + size);
        enum mixed_answer answer = (kind == PLAIN_READ ? mixed_read : mixed_write)(word, bytes, t, changed);
        if (likely(answer != MIXED_NOT) || word_mixed(whole))
            return step_of(answer);
        if (!word_paged(whole = materialize(word, whole, t)))
            return STEP_SLOW;
    }
    uint64_t *cell = &byte_cells(whole)[address & 3];
    if (size == 4)
        return whole_step(cell, kind, t, changed);
    if (size == 2 && (address & 1) == 0 && likely(cells_step(cell, kind, t, changed)))
        return STEP_DONE;
    for (uint32_t i = 0; i < size; i++)
        if (unlikely(cell_step(&cell[i], kind, t, changed) != STEP_DONE))
            return STEP_SLOW;
    return STEP_DONE;
}

/* --- any bytes --- */

/* An access to parts of both words of a pair, at once. */
hot_inline enum mixed_answer mixed_part(uintptr_t at, uint32_t size, enum access_kind kind, struct actor *t,
                                        uint32_t *changed)
{
    uint32_t roles = (1u << 4 * size) - 1, bytes = roles << 4 * (at % 8);
    return (kind == PLAIN_READ ? mixed_read : mixed_write)(shadow_of(at), bytes, t, changed);
}

/* The thread is inside its gate. */
hot_inline enum step_answer range_step(uintptr_t at, uintptr_t end, enum access_kind kind, struct actor *t,
                                       uint32_t *changed)
{
    enum step_answer answer = STEP_DONE;
    while (at < end && answer == STEP_DONE) {
        uint32_t in_pair = (uint32_t)min_size(8 - at % 8, end - at);
        if (in_pair < 8 && at % 8 < 4 && at % 8 + in_pair > 4) {
            enum mixed_answer mixed = mixed_part(at, in_pair, kind, t, changed);
            answer = step_of(mixed);
            if (likely(mixed != MIXED_NOT)) {
                at += in_pair;
                continue;
            }
            answer = STEP_DONE;
        }
        if (at % 4 == 0 && end - at >= 4) {
            uint64_t *word = shadow_of(at), *first = word;
            answer = words_step(&word, word + (end - at) / 4, kind, t, changed);
            at += (uintptr_t)(word - first) * 4;
            if (answer != STEP_SLOW || !word_paged(load_acquire(word)))
                continue;
        }
        uint32_t part = (uint32_t)min_size(4 - at % 4, end - at);
        answer = bytes_step(at, part, kind, t, changed);
        at += part;
    }
    return answer;
}

hot_inline void range_access(uintptr_t address, uintptr_t pc, uint32_t size, enum access_kind kind,
                             bool whole_words)
{
    struct thread *t = thread_self;
    uint32_t changed = 0;
    if (unlikely(!fast_possible(t, kind)) || unlikely(!gate_enter(&t->actor.gate))) {
        access_slow(address, size, kind, pc);
        return;
    }
    enum step_answer answer;
    if (whole_words) {
        uint64_t *word = shadow_of(address);
        answer = words_step(&word, word + size / 4, kind, &t->actor, &changed);
        if (answer == STEP_SLOW && word_paged(load_acquire(word)))
            answer = range_step(address, address + size, kind, &t->actor, &changed);
    } else {
        answer = range_step(address, address + size, kind, &t->actor, &changed);
    }
    if (unlikely(answer == STEP_MET_FREE)) {
        met_free(address, pc, size, kind);
        return;
    }
    if (changed != 0)
        remember(t, address, pc, size, kind);
    gate_leave(&t->actor.gate);
    if (unlikely(answer == STEP_SLOW))
        access_slow(address, size, kind, pc);
}

static __attribute__((noinline)) void range_read(uintptr_t address, uintptr_t pc, uint32_t size)
{
    range_access(address, pc, size, PLAIN_READ, false);
}

static __attribute__((noinline)) void range_write(uintptr_t address, uintptr_t pc, uint32_t size)
{
    range_access(address, pc, size, PLAIN_WRITE, false);
}

static __attribute__((noinline)) void words_read4_first(uintptr_t address, uintptr_t pc)
{
    range_access(address, pc, 4, PLAIN_READ, true);
}

static __attribute__((noinline)) void words_read8_first(uintptr_t address, uintptr_t pc)
{
    range_access(address, pc, 8, PLAIN_READ, true);
}

/* Words that several threads read: the same-epoch test for these, one or two. It needs no gate.
 *
 * Both words are looked at before what they name: a set or vector that another location has by now does not say that the thread is
 * in it, since a sweep clears the memo and who frees a vector its entries. Unless a signal handler has just put the thread there:
 * then nothing is known. */
hot_inline bool words_read_known(const uint64_t *word, uint32_t size)
{
    const struct thread *t = thread_self;
    uint32_t handlers = load_acquire(&t->handlers);
    uint64_t low = load_acquire(word), high = size == 8 ? load_acquire(word + 1) : low;
    bool known = state_shared(low) && state_shared_known(low, &t->actor);
    if (unlikely(high != low))
        known = known && (state_same_epoch(high, PLAIN_READ, t->actor.now) ||
                          (state_shared(high) && state_shared_known(high, &t->actor)));
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return known && likely(load_relaxed(&t->handlers) == handlers);
}

static __attribute__((noinline)) void words_read4(uintptr_t address, uintptr_t pc)
{
    if (unlikely(!words_read_known(shadow_of(address), 4)))
        words_read4_first(address, pc);
}

static __attribute__((noinline)) void words_read8(uintptr_t address, uintptr_t pc)
{
    if (unlikely(!words_read_known(shadow_of(address), 8)))
        words_read8_first(address, pc);
}

/* Any bytes, some of which may have been accessed in this epoch. */
hot_inline void range_any(uintptr_t address, uintptr_t pc, uint32_t size, enum access_kind kind)
{
    if (kind == PLAIN_READ)
        range_read(address, pc, size);
    else
        range_write(address, pc, size);
}

/* Aligned: in one word. */
hot_inline void first_bytes(uintptr_t address, uintptr_t pc, uint32_t size, enum access_kind kind)
{
    __builtin_prefetch((const void *)address);
    struct thread *t = thread_self;
    uint32_t changed = 0;
    if (unlikely(address % size != 0) || unlikely(!fast_possible(t, kind)) ||
        unlikely(!gate_enter(&t->actor.gate))) {
        range_any(address, pc, size, kind);
        return;
    }
    enum step_answer answer = bytes_step(address, size, kind, &t->actor, &changed);
    if (changed != 0)
        remember(t, address, pc, size, kind);
    gate_leave(&t->actor.gate);
    if (unlikely(answer != STEP_DONE))
        access_slow(address, size, kind, pc);
}

/* --- straight through --- */

hot_inline void first_access(uintptr_t address, uintptr_t pc, uint32_t size, enum access_kind kind)
{
    __builtin_prefetch((const void *)address);
    struct thread *t = thread_self;
    if (unlikely(address % size != 0) || unlikely(!fast_possible(t, kind))) {
        range_any(address, pc, size, kind);
        return;
    }
    uint64_t *word = shadow_of(address), seen = load_acquire(word), from;
    if (kind == PLAIN_READ && state_shared(seen)) {
        (size == 4 ? words_read4 : words_read8)(address, pc);
        return;
    }
    if (unlikely(!gate_enter(&t->actor.gate))) {
        range_any(address, pc, size, kind);
        return;
    }
    from = seen = load_acquire(word);
    if (unlikely(!state_simple(seen)) || unlikely(!state_ordered(seen, &t->actor)) ||
        (seen == 0 && unlikely(!empty_ready(word))) ||
        (size == 4 ? unlikely(!cas_acq_rel(word, &from, state_after(seen, kind, t->actor.now)))
                   : unlikely(!cas_pair(word, seen, seen, state_after(seen, kind, t->actor.now))))) {
        gate_leave(&t->actor.gate);
        if (kind == PLAIN_WRITE)
            range_write(address, pc, size);
        else
            (size == 4 ? words_read4 : words_read8)(address, pc);
        return;
    }
    if (seen == 0 && unlikely(freed_any(word))) {
        met_free(address, pc, size, kind);
        return;
    }
    remember(t, address, pc, size, kind);
    gate_leave(&t->actor.gate);
}

/* --- fields side by side (runtime/fields.c) --- */

/* All fields are one step; each has a line of the history. */
hot_inline void row_access(uintptr_t address, const struct fields *fields, enum access_kind kind)
{
    __builtin_prefetch((const void *)address);
    struct thread *t = thread_self;
    uint32_t changed = 0;
    enum step_answer answer = STEP_SLOW;
    if (likely(fast_possible(t, kind)) && likely(gate_enter(&t->actor.gate))) {
        answer = range_step(address, address + fields->size, kind, &t->actor, &changed);
        if (unlikely(answer == STEP_MET_FREE)) {
            met_free(address, fields->field[0].pc + 1, fields->size, kind);
            return;
        }
        if (changed != 0)
            for (const struct field *f = fields->field; f < fields->field + fields->count; f++)
                remember(t, address + f->offset, f->pc + 1, f->size, kind);
        gate_leave(&t->actor.gate);
    }
    if (unlikely(answer == STEP_SLOW))
        for (const struct field *f = fields->field; f < fields->field + fields->count; f++)
            access_slow(address + f->offset, f->size, kind, f->pc + 1);
}
