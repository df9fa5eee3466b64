/* The commonest first access of an epoch: one to four words that are all alike, of which the thread has made
 * the same step before (shadow/quick.h) or which have at most one reader, in a chunk of any kind
 * (shadow/owner.h). All or nothing: where it
 * says no, nothing has changed, and the ways that can do more begin anew.
 */
#pragma once

#include "shadow/frozen.h"
#include "shadow/quick.h"

hot_inline bool all_alike(const uint64_t *word, size_t count, uint64_t like)
{
    if (count <= 2)
        return count == 1 || load_relaxed(word + 1) == like;
    __m128i same = _mm_set1_epi32(-1);
    for (size_t i = 0; i < count / 2; i++)
        same = _mm_and_si128(same, _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)word + i),
                                                   _mm_set1_epi64x((long long)like)));
    return _mm_movemask_epi8(same) == 0xffff;
}

hot_inline void set_all(uint64_t *word, size_t count, uint64_t to)
{
    if (count <= 2) {
        store_release(word, to);
        if (count == 2)
            store_release(word + 1, to);
        return;
    }
    for (size_t i = 0; i < count / 2; i++)
        _mm_storeu_si128((__m128i *)word + i, _mm_set1_epi64x((long long)to));
}

hot_inline bool has_one_reader(uint64_t from)
{
    return likely(!((write_half(from) | read_half(from)) & NARROW_TAG));
}

/* Such a word: is all ordered before the access? */
hot_inline bool is_exclusive(const struct actor *t, uint64_t from)
{
    uint32_t w = write_half(from), r = read_half(from);
    return likely(w != t->now) && likely(half_before(w, t->clock)) && likely(half_before(r, t->clock));
}

/* Then it becomes: [READ EXCLUSIVE], [WRITE EXCLUSIVE]. */
hot_inline uint64_t exclusive_after(const struct actor *t, uint64_t from, enum access_kind kind)
{
    return kind == PLAIN_READ ? (uint64_t)t->now << 32 | write_half(from) : t->now;
}

/* What the access makes of the word. Several readers: the thread must have made the same step before. */
hot_inline bool step_to(struct actor *t, uint64_t from, enum access_kind kind, uint64_t *to)
{
    if (has_one_reader(from)) {
        *to = exclusive_after(t, from, kind);
        return is_exclusive(t, from);
    }
    const struct word_step *step = step_of(t, from, kind);
    *to = step->to;
    return likely(step->from == from && step->now == t->now);
}

/* --- in the chunk, which was announced --- */

hot_inline bool own_step(struct actor *t, uint64_t *word, uint32_t chunk, size_t count, enum access_kind kind,
                         bool *changed)
{
    uint64_t from = load_acquire(word), to;
    if (unlikely(!step_to(t, from, kind, &to)) || unlikely(!all_alike(word, count, from)) ||
        (kind == PLAIN_WRITE && unlikely(!owner_wrote(chunk))) || (from == 0 && freed_any(word, count)))
        return false;
    set_all(word, count, to);
    *changed = to != from;
    return true;
}

hot_inline bool shared_step(struct actor *t, uintptr_t address, size_t count, enum access_kind kind,
                            bool *changed)
{
    uint64_t *word = shadow_of(address), from = load_acquire(word), seen = from, to;
    if (count > 2 || (count == 2 && unlikely(!is_pair(word))) || unlikely(!step_to(t, from, kind, &to)) ||
        (kind == PLAIN_READ && is_readers(read_half(from))) || (from == 0 && freed_any(word, 1)))
        return false;
    *changed = false;
    if (unlikely(to == from)) /* a reader of this epoch, in a set */
        return count == 1 || load_acquire(word + 1) == from;
    if (unlikely(count == 2 ? !cas_pair(word, from, from, to) : !cas_acq_rel(word, &seen, to)))
        return false;
    *changed = true;
    if (unlikely(to >> 63))
        set_memo_served(&t->memo, true);
    if (from == 0 && freed_any(word, 1))
        quick_met(word, t);
    return true;
}

/* Words that the thread has not noted yet. */
hot_inline bool frozen_first(struct actor *t, const uint64_t *word, size_t count)
{
    uint32_t w = write_half(load_relaxed(word));
    if ((unlikely(w != t->ordered) && !frozen_ordered(w, t)) || (w == 0 && freed_any(word, count)))
        return false;
    t->ordered = w;
    for (size_t i = 1; i < count; i++)
        if (unlikely(write_half(load_relaxed(word + i)) != w))
            return false;
    return true;
}

/* `notes`: of the chunk, and the thread's. */
hot_inline bool frozen_note(struct actor *t, struct notes *notes, uintptr_t address, size_t count)
{
    uint32_t *mine = &notes->read[address / 4 % CHUNK_WORDS];
    bool known = true;
    for (size_t i = 0; i < count; i++)
        known &= mine[i] != 0;
    if (unlikely(!known) && unlikely(!frozen_first(t, shadow_of(address), count)))
        return false;
    for (size_t i = 0; i < count; i++)
        mine[i] = t->now;
    return true;
}

hot_inline bool frozen_step(struct actor *t, uintptr_t address, size_t count, bool *changed)
{
    struct notes *notes = frozen_notes(t, owner_chunk(address));
    if (unlikely(notes == NULL))
        return false;
    *changed = !notes_all_now(&notes->read[address / 4 % CHUNK_WORDS], count, t->now);
    return !*changed || frozen_note(t, notes, address, count);
}

/* Two or four words, of which the first is one of a pair, two at a time. Returns how many are done: somebody may
 * change the others in between, or a free() meet the last two. (A test does without the look before, so that this is
 * not rare, and something of its own in between.) */
#ifndef ROW_LOOKS
#define ROW_LOOKS 1
#endif
#ifdef ROW_PAUSE
void ROW_PAUSE(void);
#else
#define ROW_PAUSE() ((void)0)
#endif
hot_inline size_t shared_row(struct actor *t, uintptr_t address, size_t count, enum access_kind kind,
                             bool *changed)
{
    uint64_t *word = shadow_of(address), from = load_acquire(word), to;
    size_t done = 0;
    if (unlikely(!step_to(t, from, kind, &to)) ||
        ((ROW_LOOKS || to == from) && unlikely(!all_alike(word, count, from))) ||
        (kind == PLAIN_READ && is_readers(read_half(from))) || (from == 0 && freed_any(word, count)))
        return 0;
    if (unlikely(to == from)) /* a reader of this epoch, in a set */
        return count;
    ROW_PAUSE();
    for (; done < count && likely(t->met == NULL) && likely(cas_pair(word + done, from, from, to)); done += 2)
        if (from == 0 && freed_any(word + done, 1))
            quick_met(word + done, t);
    *changed = done > 0;
    if (unlikely(to >> 63))
        set_memo_served(&t->memo, *changed);
    return done;
}

/* Returns how many words are done: all or none, unless they are a row in a shared chunk. */
hot_inline size_t step_in_chunk(struct actor *t, uintptr_t address, size_t count, enum access_kind kind,
                                bool row, bool *changed)
{
    uint32_t owner = owner_announce(&t->owner, owner_chunk(address));
    size_t done = 0;
    if (likely(owner_is_quick(&t->owner, owner)))
        done = own_step(t, shadow_of(address), owner_chunk(address), count, kind, changed) ? count : 0;
    else if (unlikely(load_relaxed(&t->owner.quick_shared) != OWNER_SHARED))
        done = 0;
    else if (owner == OWNER_SHARED && row)
        done = shared_row(t, address, count, kind, changed);
    else if (owner == OWNER_SHARED)
        done = shared_step(t, address, count, kind, changed) ? count : 0;
    else if (kind == PLAIN_READ && owner == OWNER_FROZEN)
        done = frozen_step(t, address, count, changed) ? count : 0;
    owner_leave(&t->owner);
    return done;
}

/* False: not here. *changed: a word is not as it was. A free() may have met the step: see actor.met. */
hot_inline bool one_step(struct actor *t, uintptr_t address, size_t count, enum access_kind kind,
                         bool *changed)
{
    return likely(step_in_chunk(t, address, count, kind, false, changed) != 0);
}

/* The same for a row of two or four words. Returns how many are done. */
hot_inline size_t row_step(struct actor *t, uintptr_t address, size_t count, enum access_kind kind,
                           bool *changed)
{
    return step_in_chunk(t, address, count, kind, true, changed);
}

/* --- the same where the chunk is the thread's own and its words have at most one reader: most first accesses
 * of an epoch ---
 *
 * What one place of the program meets is mostly in one state, and what happens before the thread's access
 * happens before all that follow: the last word that was found so there need not be looked at again. It is of
 * no epoch that the thread has later, and not 0, since that may have been freed. `code`: where the place is. */

hot_inline uint64_t *alone_after(struct actor *t, uintptr_t code)
{
    return (uint64_t *)((char *)t->after + (code & (AFTER_PLACES - 1) * sizeof *t->after));
}

/* True: the chunk is the thread's until owner_leave, and its words are all alike: *from. */
hot_inline bool alone_begin(struct actor *t, uintptr_t address, size_t count, enum access_kind kind,
                            uint64_t *from)
{
    const uint64_t *word = shadow_of(address);
    uint32_t chunk = owner_chunk(address);
    if (likely(owner_is_quick(&t->owner, owner_announce(&t->owner, chunk)))) {
        *from = load_acquire(word);
        if (likely(all_alike(word, count, *from)) && (kind == PLAIN_READ || likely(owner_wrote(chunk))))
            return true;
    }
    owner_leave(&t->owner);
    return false;
}

/* After that: the words of a place have been as these are. */
hot_inline void alone_end(struct actor *t, uintptr_t address, size_t count, enum access_kind kind,
                          uint64_t from)
{
    set_all(shadow_of(address), count, exclusive_after(t, from, kind));
    owner_leave(&t->owner);
}

/* Or they have not. False: the step is not for here. */
hot_inline bool alone_learn(struct actor *t, uintptr_t address, size_t count, uint64_t from, uintptr_t code)
{
    if (likely(has_one_reader(from)) && likely(is_exclusive(t, from)) &&
        !(from == 0 && freed_any(shadow_of(address), count))) {
        if (from != 0)
            *alone_after(t, code) = from;
        return true;
    }
    owner_leave(&t->owner);
    return false;
}

/* The same for a read where the chunk is frozen, and these were the thread's notes of it a moment ago. */
hot_inline bool one_step_frozen(struct actor *t, struct notes *notes, uintptr_t address, size_t count)
{
    uint32_t chunk = owner_chunk(address), owner = owner_announce(&t->owner, chunk);
    bool done = likely(owner == OWNER_FROZEN) &&
                likely(load_relaxed(&t->owner.quick_shared) == OWNER_SHARED) &&
                likely(notes_are(notes, t, chunk)) && frozen_note(t, notes, address, count);
    owner_leave(&t->owner);
    return done;
}

/* --- reads of words that many threads read (shadow/readers.h) --- */

hot_inline bool maybe_readers(uintptr_t address)
{
    return is_readers(read_half(load_relaxed(shadow_of(address))));
}

/* It has not read all of them in this epoch: nobody else would have noted that since it looked. */
hot_inline bool readers_step(const struct actor *t, const uint64_t *word, size_t count)
{
    uint32_t *row = vector_row_of(t->now);
    uint64_t seen[4];
    for (size_t i = 0; i < count; i++) {
        seen[i] = load_acquire(word + i);
        if (unlikely(!readers_settled(seen[i])) || unlikely(!half_before(write_half(seen[i]), t->clock)))
            return false;
    }
    if (unlikely(row == NULL))
        return false;
    for (size_t i = 0; i < count; i++)
        readers_note(seen[i], row, t->now);
    return true;
}

/* Has the thread read all of the words in this epoch? Asked without being in the chunk: nobody else puts this
 * epoch into an entry, and it is gone when the vector is another word's. */
hot_inline bool readers_all_known(const uint64_t *word, size_t count, uint32_t now)
{
    const uint32_t *row = vector_row_of(now);
    if (unlikely(row == NULL))
        return false;
    for (size_t i = 0; i < count; i++) {
        uint64_t seen = load_acquire(word + i);
        if (unlikely(!is_readers(read_half(seen))) || !readers_known(seen, row, now))
            return false;
    }
    return true;
}

/* Are the words' readers, as sets that never change (shadow/sets.h), such that the thread has found itself
 * among them? */
hot_inline bool sets_all_known(struct actor *t, const uint64_t *word, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t seen = load_acquire(word + i);
        const struct word_step *step = step_of(t, seen, PLAIN_READ);
        if (step->from != seen || step->to != seen || step->now != t->now)
            return false;
    }
    return true;
}

/* Has the thread read the words in this epoch, among others? */
hot_inline bool read_among_others(struct actor *t, uintptr_t address, size_t count)
{
    const uint64_t *word = shadow_of(address);
    uint32_t r = read_half(load_relaxed(word));
    if (likely(!(r & NARROW_TAG)))
        return frozen_noted(t, address, count);
    return is_readers(r) ? readers_all_known(word, count, t->now) : sets_all_known(t, word, count);
}

/* The same where the chunk is not frozen and the first word has no vector. */
hot_inline bool read_in_set(struct actor *t, uintptr_t address, size_t count)
{
    const uint64_t *word = shadow_of(address);
    return unlikely(read_half(load_relaxed(word)) & NARROW_TAG) && sets_all_known(t, word, count);
}

/* The same as one_step for these, if they are not all known to have been read in this epoch. */
hot_inline bool one_step_among_readers(struct actor *t, uintptr_t address, size_t count)
{
    uint32_t owner = owner_announce(&t->owner, owner_chunk(address));
    bool done = owner == OWNER_SHARED && load_relaxed(&t->owner.quick_shared) == OWNER_SHARED &&
                readers_step(t, shadow_of(address), count);
    owner_leave(&t->owner);
    return done;
}
