#include "shadow/access.h"

#include "shadow/freed.h"
#include "shadow/mixed.h"
#include "shadow/pair.h"
#include "shadow/same_epoch.h"

bool shadow_init(void)
{
    chunks_init();
    bytes_init();
    uniform_init();
    return gate_init();
}

cold_path void note_racy_bytes(struct race_found *found, struct conflict c, uintptr_t address, size_t size)
{
    if (unlikely(pf_on_racy_bytes != NULL))
        pf_on_racy_bytes((const void *)address, size);
    if (found->conflict.earlier != 0)
        return;
    found->conflict = c;
    found->address = address;
}

/* --- whole words --- */

/* The word is empty. False: its memory was freed, and it says so from now on. */
static bool empty_ready(uint64_t *word)
{
    chunk_use(shadow_chunk(word));
    if (likely(!freed_any(word)))
        return true;
    freed_spell_out(word);
    return false;
}

/* The word was empty, and is not any more; meanwhile its memory was freed (shadow/freed.h). */
cold_path static void meet_free(uint64_t *word, uintptr_t address, size_t size, const struct actor *t,
                                struct race_found *found)
{
    uint32_t freed = freed_when(word);
    freed_mark(word);
    note_bytes(found, (struct conflict){half_before(freed, t->clock) ? 0 : freed, PLAIN_WRITE}, address,
               size);
}

/* Several readers, or a race. */
static enum state_answer one_word(uint64_t *word, uint64_t seen, uintptr_t address, enum access_kind kind,
                                  struct actor *t, struct race_found *found)
{
    struct conflict c;
    enum state_answer answer = state_access(word, seen, kind, t, &c);
    if (likely(answer != STATE_AGAIN))
        note(found, c, address);
    found->changed += answer == STATE_CHANGED;
    return answer;
}

/* Can the access of a plain word race? A guess: false is certain. */
static bool may_race(uint64_t seen, enum access_kind kind, const struct actor *t)
{
    return !state_same_epoch(seen, kind, t->now) &&
           (kind == PLAIN_WRITE || !half_before(write_half(seen), t->clock));
}

/* All of a word that was `paged`, if no byte of it may race or has several readers. False: not so, or not all of it is done;
 * what has changed is counted all the same.
 *
 * It becomes a word again when it is accessed as one twice, with nothing in between: in one epoch, where the same-epoch test
 * would have known it, or by two writes. Not at once: buffers are filled as a whole, and read byte by byte, again and again. */
static bool ordered_bytes(uint64_t *word, uint64_t paged, enum access_kind kind, struct actor *t,
                          struct race_found *found)
{
    uint64_t *cell = byte_cells(paged);
    uint32_t before = found->changed;
    bool written = kind == PLAIN_WRITE && bytes_agree(cell) && read_half(cell[0]) == 0;
    if (!cells_step(cell, kind, t, &found->changed) || !cells_step(cell + 2, kind, t, &found->changed))
        return false;
    if (found->changed == before || written)
        bytes_fold(word, paged);
    return true;
}

/* An access to these bytes of the word's pair (shadow/mixed.h). MIXED_NOT: nothing was done. */
static enum mixed_answer mixed_part_access(uint64_t *word, uint32_t bytes, enum access_kind kind,
                                           const struct actor *t, struct race_found *found)
{
    uint64_t *pair = pair_of(word);
    if ((load_acquire(pair) == 0 || load_acquire(pair + 1) == 0) && unlikely(!empty_ready(pair)))
        return MIXED_NOT;
    enum mixed_answer answer = mixed_access(pair, bytes, kind, t);
    found->changed += answer == MIXED_CHANGED;
    return answer;
}

/* `count` words from `base` on. Returns how many are done: those before the first that is not plain, nor of bytes
 * that are ordered before, or, if not `racy`, that may race. Neighbours mostly are in one state: the step is worked out
 * once, and two words change at a time, or a block of them where that is possible (shadow/uniform.h). */
static size_t plain_words(uintptr_t base, size_t count, bool racy, enum access_kind kind, struct actor *t,
                          struct race_found *found)
{
    uint64_t *word = shadow_of(base), from = NO_STATE, to = 0;
    for (size_t done = 0;;) {
        if (count - done >= UNIFORM_WORDS && uniform_begins(word + done) &&
            uniform_access(word + done, kind, t, &found->changed)) {
            done += UNIFORM_WORDS;
            continue;
        }
        done += same_epoch_words(word + done, count - done, kind, t->now);
        if (done == count)
            return done;
        uint64_t seen = load_acquire(word + done);
        if (seen == 0 && unlikely(!empty_ready(word + done)))
            continue;
        if (seen != from) {
            if (unlikely(word_uniform(seen))) {
                uniform_break(word + done);
                continue;
            }
            if (word_paged(seen) && ordered_bytes(word + done, seen, kind, t, found)) {
                done++;
                continue;
            }
            if (word_mixed(seen)) {
                if (count - done < 2 || !is_pair(word + done)) {
                    mixed_break(word + done);
                    continue;
                }
                enum mixed_answer answer = mixed_part_access(word + done, BOTH_WORDS, kind, t, found);
                if (answer == MIXED_NOT)
                    return done;
                done += answer != MIXED_AGAIN ? 2 : 0;
                continue;
            }
            if (unlikely(word_expanded(seen)))
                return done;
            to = state_same_epoch(seen, kind, t->now) ? seen : state_step(seen, kind, t);
            if (to == seen || unlikely(to == 0)) {
                from = NO_STATE;
                if (!racy && may_race(seen, kind, t))
                    return done;
                done += one_word(word + done, seen, base + 4 * done, kind, t, found) != STATE_AGAIN;
                continue;
            }
            from = seen;
        }
        size_t words =
            1 + (done + 1 < count && is_pair(word + done) && load_acquire(word + done + 1) == seen);
        if (unlikely(words == 2 ? !cas_pair(word + done, seen, seen, to)
                                : !cas_acq_rel(word + done, &seen, to)))
            continue;
        found->changed += (uint32_t)words;
        set_memo_served(&t->memo, to >> 63);
        if (from == 0 && unlikely(freed_any(word + done)))
            meet_free(word + done, base + 4 * done, 4 * words, t, found);
        done += words;
    }
}

/* Elements of one word or two, apart from each other: those at the beginning that are in the first one's state, if that
 * is simple and ordered before, or were accessed in this epoch. Returns how many they are; they are done. */
static size_t alike_apart(uintptr_t at, size_t count, bool two, ptrdiff_t stride, enum access_kind kind,
                          const struct actor *t, struct race_found *found)
{
    uint64_t from = load_acquire(shadow_of(at)), to = state_after(from, kind, t->now);
    if (from == 0 || !state_simple(from) || unlikely(!state_ordered(from, t)))
        return 0;
    for (size_t done = 0; done < count; done++, at += (uintptr_t)stride) {
        uint64_t *word = shadow_of(at), low = load_acquire(word), high = load_acquire(word + two);
        if (state_same_epoch(low, kind, t->now) && state_same_epoch(high, kind, t->now))
            continue;
        if (low != from || high != from ||
            unlikely(two ? !cas_pair(word, from, from, to) : !cas_acq_rel(word, &low, to)))
            return done;
        found->changed += 1 + two;
    }
    return count;
}

size_t shadow_elements(uintptr_t at, size_t count, size_t size, ptrdiff_t stride, enum access_kind kind,
                       struct actor *t, struct race_found *found)
{
    *found = (struct race_found){0};
    if (stride == (ptrdiff_t)size)
        return plain_words(at, count * (size / 4), false, kind, t, found) / (size / 4);
    bool alike = size == 4 || (size == 8 && (at | (uintptr_t)stride) % 8 == 0);
    for (size_t done = 0;; done++, at += (uintptr_t)stride) {
        size_t more = alike ? alike_apart(at, count - done, size == 8, stride, kind, t, found) : 0;
        done += more;
        at += more * (uintptr_t)stride;
        if (done == count || plain_words(at, size / 4, false, kind, t, found) < size / 4)
            return done;
    }
}

/* --- any access --- */

/* Bytes [from, to) of a word that was `paged`. False: it is not any more, or one of them is changing. */
static bool paged_bytes(uint64_t paged, uintptr_t address, unsigned from, unsigned to, enum access_kind kind,
                        struct actor *t, struct race_found *found)
{
    uint64_t *cell = byte_cells(paged);
    bool changed = false;
    for (unsigned i = from; i < to; i++) {
        uint64_t seen = load_acquire(&cell[i]);
        struct conflict c;
        if (unlikely(word_expanded(seen)))
            return false;
        enum state_answer answer = state_access(&cell[i], seen, kind, t, &c);
        if (unlikely(answer == STATE_AGAIN)) {
            found->changed += is_vector(read_half(seen)); /* it may be among the readers all the same */
            return false;
        }
        note_bytes(found, c, address + i, 1);
        changed |= answer == STATE_CHANGED;
    }
    found->changed += changed;
    return true;
}

/* The word's record is locked for it. False: it has none. */
static bool recorded_bytes(uint64_t *word, uintptr_t address, unsigned from, unsigned to,
                           enum access_kind kind, struct actor *t, struct race_found *found)
{
    struct record *record = kind <= PLAIN_WRITE ? record_lock_existing(word) : record_lock(word);
    if (record == NULL)
        return false;
    shadow_cells_locked(record, address, from, to, kind, t, found);
    record_unlock(record);
    return true;
}

/* Bytes [from, to) of the word at `address`: of a whole one if it is not plain. */
static void bytes(uint64_t *word, uintptr_t address, unsigned from, unsigned to, enum access_kind kind,
                  struct actor *t, struct race_found *found)
{
    if (kind <= PLAIN_WRITE && same_epoch_in_word(word, from, to, kind, t->now))
        return;
    for (;;) {
        uint64_t seen = load_acquire(word);
        enum mixed_answer answer;
        if (word_paged(seen) && kind <= PLAIN_WRITE) {
            if (likely(paged_bytes(seen, address, from, to, kind, t, found)))
                return;
        } else if (word_recorded(seen) || kind > PLAIN_WRITE) {
            if (recorded_bytes(word, address, from, to, kind, t, found))
                return;
        } else if (unlikely(write_half(seen) == BUSY)) {
            sys_yield();
        } else if (unlikely(word_uniform(seen))) {
            uniform_break(word);
        } else if (to - from == 4 && !word_mixed(seen)) {
            if (plain_words(address, 1, true, kind, t, found) == 1)
                return;
        } else if (!word_mixed(seen) && state_same_epoch_shared(seen, kind, t->now)) {
            return;
        } else if (to - from < 4 && (answer = mixed_part_access(word, mixed_bytes(word, from, to), kind, t,
                                                                found)) != MIXED_NOT) {
            if (answer != MIXED_AGAIN)
                return;
        } else if (word_mixed(seen)) {
            mixed_break(word);
        } else if (seen != 0 || empty_ready(word)) {
            bytes_materialize(word, seen, t);
        }
    }
}

void shadow_access(uintptr_t address, size_t size, enum access_kind kind, struct actor *t,
                   struct race_found *found)
{
    *found = (struct race_found){0};
    uintptr_t end = address + size, base = address & ~(uintptr_t)3;
    while (base < end) {
        unsigned from = base < address ? (unsigned)(address - base) : 0;
        unsigned to = end - base < 4 ? (unsigned)(end - base) : 4;
        size_t done = 0;
        if (to - from == 4 && kind <= PLAIN_WRITE)
            done = plain_words(base, (end - base) / 4, true, kind, t, found);
        if (done == 0) {
            bytes(shadow_of(base), base, from, to, kind, t, found);
            done = 1;
        }
        base += 4 * done;
    }
}
