#include "shadow/access.h"

#include "shadow/byte_glance.h"
#include "shadow/frozen.h"
#include "shadow/quick.h"
#include "shadow/same_epoch.h"
#include "shadow/uniform.h"
#include "shadow/unshare.h"
#include "shadow/word.h"

cold_path void note_racy_bytes(struct race_found *found, struct conflict c, uintptr_t address, size_t size)
{
    if (unlikely(pf_on_racy_bytes != NULL))
        pf_on_racy_bytes((const void *)address, size);
    if (found->conflict.earlier != 0)
        return;
    found->conflict = c;
    found->address = address;
}

/* --- steps that follow from the word --- */

/* Is a read among other readers, and sets_with_old has no answer? */
static bool wants_vector(struct actor *t, uint64_t from)
{
    uint32_t w = write_half(from), r = read_half(from);
    if (w == t->now || r == t->now || word_paged(from) || (!(r & NARROW_TAG) && half_before(r, t->clock)))
        return false;
    return sets_with_old(r, t->now, t->clock, &t->memo) == 0 && vector_possible(t->now) && vector_may_take();
}

/* Those with too high a slot are not in vectors: the word gets a set again, by way of a record. */
static bool fits_no_vector(const struct actor *t, uint64_t word)
{
    return is_readers(read_half(word)) && !vector_possible(t->now);
}

bool step_learn(struct actor *t, uint64_t from, enum access_kind kind, struct word_step *step)
{
    struct conflict c = {0, PLAIN_READ};
    if (word_expanded(from) || is_readers(read_half(from)) || (kind == PLAIN_READ && wants_vector(t, from)))
        return false;
    uint64_t to = word_after(from, kind, t, &c);
    if (unlikely(c.earlier != 0))
        return false;
    *step = (struct word_step){.from = from, .to = to, .now = t->now};
    return true;
}

bool quick_shared_slow(uint64_t *word, uint64_t seen, enum access_kind kind, struct actor *t,
                       uint32_t *changed)
{
    if (kind != PLAIN_READ || word_expanded(seen) || !is_readers(read_half(seen)) ||
        fits_no_vector(t, seen) || !half_before(write_half(seen), t->clock))
        return false;
    enum readers_answer answer = readers_add(word, seen, t);
    *changed += answer == READERS_ADDED;
    return answer != READERS_AGAIN;
}

/* --- a free() that meets an access (shadow/freed.h) --- */

/* A word was empty, and now its pair has an entry. */
cold_path static struct conflict meet_free(uint32_t freed, const struct actor *t)
{
    return (struct conflict){half_before(freed, t->clock) ? 0 : freed, PLAIN_WRITE};
}

/* The access that did is the one at `address`. */
cold_path static void tell_met(struct actor *t, uintptr_t address, struct race_found *found)
{
    intptr_t words = t->met - shadow_of(address);
    freed_mark(t->met);
    note(found, meet_free(freed_when(t->met), t), (address & ~(uintptr_t)3) + (uintptr_t)(4 * words));
    t->met = NULL;
}

/* The whole words of [base, end) that are in the chunk of the first. */
hot_inline size_t words_in_chunk(uintptr_t base, uintptr_t end)
{
    const uintptr_t chunk = (uintptr_t)1 << OWNER_CHUNK_BITS;
    return min_size(end - base, chunk - base % chunk) / 4;
}

/* --- one word, whatever its state but expanded --- */

/* The chunk was entered. */
static uint64_t look(uint64_t *word)
{
    uint64_t seen = load_acquire(word);
    if (unlikely(seen == 0 && freed_any(word, 1))) {
        freed_spell_out(word);
        seen = load_acquire(word);
    }
    return seen;
}

/* In a chunk that is the thread's own. False: the word is expanded. */
static bool own_word(uint64_t *word, enum access_kind kind, struct actor *t, struct conflict *c,
                     struct race_found *found)
{
    uint64_t old = look(word);
    if (unlikely(word_expanded(old)))
        return false;
    uint64_t new = word_after(old, kind, t, c);
    if (new != old) {
        store_release(word, new);
        found->changed++;
    }
    return true;
}

/* A word that has a vector, or is to have one. */
static bool read_among(uint64_t *word, uint64_t old, struct actor *t, struct conflict *c,
                       struct race_found *found)
{
    uint32_t w = write_half(old), r = read_half(old);
    if (unlikely(!half_before(w, t->clock)))
        *c = (struct conflict){w, PLAIN_WRITE};
    if (is_readers(r)) {
        enum readers_answer answer = readers_add(word, old, t);
        found->changed += answer == READERS_ADDED;
        return answer != READERS_AGAIN;
    }
    uint32_t made = vector_new(r, t->now, 0);
    if (cas_acq_rel(word, &old, (uint64_t)made << 32 | w)) {
        found->changed++;
        return true;
    }
    vector_free(made);
    return false;
}

/* The word's vector goes with the write. Its readers are looked at once no more can come. */
static bool write_after(uint64_t *word, uint64_t old, struct actor *t, struct conflict *c,
                        struct race_found *found)
{
    uint32_t w = write_half(old), r = read_half(old);
    uint64_t seen = old;
    if (w == t->now) /* [WRITE SAME EPOCH] */
        return true;
    if (!cas_acq_rel(word, &seen, t->now))
        return false;
    found->changed++;
    if (unlikely(!half_before(w, t->clock)))
        *c = (struct conflict){w, PLAIN_WRITE};
    else
        *c = (struct conflict){vector_first_unordered(r, t->clock), PLAIN_READ};
    vector_free(r);
    return true;
}

/* False: the word has changed meanwhile. `count`: how many words of the chunk the access is to from here on.
 */
static bool shared_word_once(uint64_t *word, size_t count, uint64_t old, enum access_kind kind,
                             struct actor *t, struct conflict *c, struct race_found *found)
{
    if (kind != PLAIN_READ && unlikely(readers_stay(old))) {
        readers_unsettle(word, count);
        return false;
    }
    if (is_readers(read_half(old)))
        return kind == PLAIN_READ ? read_among(word, old, t, c, found) : write_after(word, old, t, c, found);
    if (kind == PLAIN_READ && wants_vector(t, old))
        return read_among(word, old, t, c, found);
    uint64_t new = word_after(old, kind, t, c);
    if (new == old)
        return true;
    if (unlikely(!cas_acq_rel(word, &old, new)))
        return false;
    if (old == 0 && freed_any(word, 1)) {
        freed_mark(word);
        *c = meet_free(freed_when(word), t);
    }
    found->changed++;
    return true;
}

/* False: the word is expanded, or shall be. */
static bool shared_word(uint64_t *word, size_t count, enum access_kind kind, struct actor *t,
                        struct conflict *c, struct race_found *found)
{
    for (;;) {
        uint64_t old = look(word);
        if (unlikely(word_expanded(old) || fits_no_vector(t, old)))
            return false;
        *c = (struct conflict){0, PLAIN_READ};
        if (likely(shared_word_once(word, count, old, kind, t, c, found)))
            return true;
    }
}

/* The first word of an access to [address, end). */
static bool plain_word(uint64_t *word, uintptr_t address, uintptr_t end, enum access_kind kind,
                       struct actor *t, struct race_found *found)
{
    size_t count = words_in_chunk(address, end);
    struct conflict c = {0, PLAIN_READ};
    bool own = owner_begin(&t->owner, owner_chunk(address));
    if (own && kind == PLAIN_READ && unlikely(wants_vector(t, load_acquire(word))))
        t->shall_share = address; /* words of an owned chunk have none */
    bool plain = own ? own_word(word, kind, t, &c, found) : shared_word(word, count, kind, t, &c, found);
    owner_end(&t->owner, own);
    note(found, c, address);
    return plain;
}

/* --- bytes, atomics, and whatever else has a record --- */

/* One byte. Those who read it before there was a table stay in the cell, until the reader stands for all. */
static bool cell_among(struct record *record, unsigned byte, uintptr_t address, enum access_kind kind,
                       struct actor *t, struct race_found *found)
{
    struct cell before = record->cell[byte], after = before;
    if (kind == PLAIN_READ)
        after.r = 0;
    struct conflict c = cell_access(&after, kind, t, 0);
    if (kind == PLAIN_READ)
        after.r = before.r != 0 && sets_first_unordered(before.r, t->clock) != 0 ? before.r : 0;
    if (kind_writes(kind) && c.earlier == 0)
        c = (struct conflict){byte_readers_first_unordered(record->readers, byte, t->clock), PLAIN_READ};
    note_bytes(found, c, address + byte, 1);
    if (cell_same_parts(before, after))
        return false;
    record->cell[byte] = after;
    return true;
}

void shadow_cells_among(struct record *record, uintptr_t address, unsigned from, unsigned to,
                        enum access_kind kind, struct actor *t, struct race_found *found)
{
    bool changed = false;
    if (kind == PLAIN_READ)
        store_relaxed(&record->readers, byte_readers_with_room(record->readers, t->now));
    for (unsigned i = from; i < to; i++)
        changed |= cell_among(record, i, address, kind, t, found);
    if (kind == PLAIN_READ)
        changed |= byte_readers_add(record->readers, from, to, t->now, t->clock);
    else if (kind == PLAIN_WRITE)
        record_forget_readers(record, from, to);
    found->changed += changed;
}

/* The chunk may be on its way from one to another. */
cold_path static void read_by_several(uintptr_t address, struct actor *t)
{
    uint32_t chunk = owner_chunk(address), owner = load_relaxed(&owner_table[chunk]);
    if (owner != OWNER_NOBODY && owner_is_own(&t->owner, owner))
        frozen_had_better(chunk, t);
}

/* Bytes [from, to) of the word at `address`; its chunk was entered. */
static void recorded_bytes(uint64_t *word, uintptr_t address, unsigned from, unsigned to,
                           enum access_kind kind, struct actor *t, struct race_found *found)
{
    struct record *record = record_lock(word);
    shadow_cells_locked(record, address, from, to, kind, t, found);
    if (kind == PLAIN_READ && unlikely(record->cell[from].r & NARROW_TAG))
        read_by_several(address, t);
    record_unlock(record);
}

/* In a chunk that is the thread's own. True: the word is PAGED, and may stay so. */
static bool own_page(uint64_t *word, unsigned from, unsigned to, enum access_kind kind, struct actor *t)
{
    uint64_t seen = look(word), *page;
    if (kind > PLAIN_WRITE || word_recorded(seen) || is_readers(read_half(seen)))
        return false;
    if (!word_paged(seen)) {
        page = byte_page_wanted(shadow_chunk(word));
        if (page == NULL)
            return false;
        byte_page_spell_out(byte_page_cells(page, word), word, seen);
    }
    for (unsigned i = from; kind == PLAIN_READ && i < to; i++)
        if (unlikely(wants_vector(t, byte_cells(word)[i])))
            return false; /* its record will have a table of readers */
    return true;
}

/* The same as recorded_bytes(), there. */
static void own_bytes(uint64_t *word, uintptr_t address, unsigned from, unsigned to, enum access_kind kind,
                      struct actor *t, struct race_found *found)
{
    bool changed = false;
    if (!own_page(word, from, to, kind, t)) {
        struct record *record = record_lock(word);
        shadow_cells_locked(record, address, from, to, kind, t, found);
        record_unlock_alone(record);
        return;
    }
    uint64_t *cell = byte_cells(word);
    for (unsigned i = from; i < to; i++) {
        struct conflict c = {0, PLAIN_READ};
        uint64_t old = cell[i], new = word_after(old, kind, t, &c);
        note_bytes(found, c, address + i, 1);
        store_relaxed(&cell[i], new);
        changed |= new != old;
        if (kind == PLAIN_READ && unlikely(read_half(new) & NARROW_TAG))
            read_by_several(address, t);
    }
    if (kind == PLAIN_READ)
        byte_page_sum_up(word, cell, t->now);
    else if (to - from == 4)
        byte_page_fold(word, cell);
    found->changed += changed;
}

/* --- any access --- */

/* The thread's notes of a chunk that is frozen, or was a moment ago, and now entered. NULL: it is not
 * entered. */
static struct notes *enter_frozen(struct actor *t, uint32_t chunk, bool bytes)
{
    struct notes *n = frozen_notes(t, chunk);
    if (n == NULL || (bytes && n->bytes == NULL) || t->stands_in)
        n = frozen_notes_slow(t, chunk, bytes);
    if (n == NULL || !frozen_enter(&t->owner, chunk))
        return NULL;
    if (likely(frozen_notes(t, chunk) == n && (!bytes || n->bytes != NULL))) /* it was not thawed and frozen
                                                                               again meanwhile */
        return n;
    owner_leave(&t->owner);
    return NULL;
}

/* Whose the chunk is for such an access; entered if it is the thread's own. */
static enum owner_mode begin_chunk(struct actor *t, uint32_t chunk, enum access_kind kind)
{
    if (kind == PLAIN_READ)
        return owner_begin_reading(&t->owner, chunk);
    return owner_begin(&t->owner, chunk) ? OWNER_IS_SELF : OWNER_IS_ALL;
}

static size_t frozen_words(uintptr_t base, size_t count, struct actor *t, uint32_t *changed)
{
    struct notes *n = enter_frozen(t, owner_chunk(base), false);
    if (n == NULL)
        return 0;
    size_t done = frozen_read(n, base, count, t, changed);
    owner_leave(&t->owner);
    return done;
}

static bool frozen_bytes(uintptr_t address, size_t size, struct actor *t, uint32_t *changed)
{
    struct notes *n = enter_frozen(t, owner_chunk(address), true);
    if (n == NULL)
        return false;
    bool done = frozen_read_bytes(n, address, size, t, changed);
    owner_leave(&t->owner);
    return done;
}

/* Bytes [from, to) of the word at `address`. In a frozen chunk, those of a whole word are noted as that. */
static void bytes(uint64_t *word, uintptr_t address, unsigned from, unsigned to, enum access_kind kind,
                  struct actor *t, struct race_found *found)
{
    uint32_t chunk = owner_chunk(address);
    if (kind <= PLAIN_WRITE && same_epoch_in_word(word, from, to, kind, t->now))
        return;
    enum owner_mode mode = begin_chunk(t, chunk, kind);
    if (mode == OWNER_IS_FROZEN) {
        if (to - from == 4 ? frozen_words(address, 1, t, &found->changed) == 1
                           : frozen_bytes(address + from, to - from, t, &found->changed))
            return;
        mode = owner_begin(&t->owner, chunk) ? OWNER_IS_SELF : OWNER_IS_ALL;
    }
    if (mode == OWNER_IS_SELF)
        own_bytes(word, address, from, to, kind, t, found);
    else
        recorded_bytes(word, address, from, to, kind, t, found);
    owner_end(&t->owner, mode == OWNER_IS_SELF);
}

/* So many words of the shared chunk are done. */
static size_t done_shared(uint32_t chunk, size_t words, enum access_kind kind, struct actor *t)
{
    if (kind == PLAIN_WRITE && unshare_is_run(words) && unlikely(unshare_note(chunk, words)))
        t->shall_unshare = true;
    return words;
}

/* The whole words of [base, end) that are in the chunk of the first and need no more than a quick step. */
static size_t quick_words(uintptr_t base, uintptr_t end, enum access_kind kind, struct actor *t,
                          struct race_found *found)
{
    uint32_t chunk = owner_chunk(base);
    size_t count = words_in_chunk(base, end), done;
    bool all = count == UNIFORM_WORDS;
    if (all && uniform_step(chunk, kind, t, &found->changed))
        return count;
    enum owner_mode mode = begin_chunk(t, chunk, kind);
    if (mode == OWNER_IS_FROZEN)
        return frozen_words(base, count, t, &found->changed);
    if (mode == OWNER_IS_ALL)
        return done_shared(chunk, quick_shared(shadow_of(base), count, kind, t, &found->changed), kind, t);
    if (all && uniform_begin(chunk, kind, t, &found->changed))
        done = count;
    else
        done = quick_own(shadow_of(base), count, kind, t, &found->changed);
    owner_leave(&t->owner);
    return done;
}

/* How many accesses from `at` on are in its chunk; one that crosses its end is not. */
static size_t elements_in_chunk(uintptr_t at, size_t size, ptrdiff_t stride)
{
    enum { CHUNK = 1 << OWNER_CHUNK_BITS };
    ptrdiff_t from = (ptrdiff_t)(at % CHUNK), last = CHUNK - (ptrdiff_t)size;
    if (from > last)
        return 0;
    return stride == 0 ? 1 : (size_t)(stride > 0 ? (last - from) / stride : from / -stride) + 1;
}

static size_t elements_shared(uintptr_t at, size_t count, size_t size, ptrdiff_t stride,
                              enum access_kind kind, struct actor *t, uint32_t *changed)
{
    size_t done = 0;
    while (done < count && quick_shared(shadow_of(at), size / 4, kind, t, changed) == size / 4) {
        at += (uintptr_t)stride;
        done++;
    }
    done_shared(owner_chunk(at - (uintptr_t)stride), done * (size / 4), kind, t);
    return done;
}

static size_t elements_frozen(uintptr_t at, size_t count, size_t size, ptrdiff_t stride, struct actor *t,
                              uint32_t *changed)
{
    struct notes *n = enter_frozen(t, owner_chunk(at), false);
    size_t done = 0;
    if (n == NULL)
        return 0;
    while (done < count && frozen_read(n, at, size / 4, t, changed) == size / 4) {
        at += (uintptr_t)stride;
        done++;
    }
    owner_leave(&t->owner);
    return done;
}

static size_t elements_own(uintptr_t at, size_t count, size_t size, ptrdiff_t stride, enum access_kind kind,
                           struct actor *t, uint32_t *changed)
{
    uint64_t *word = shadow_of(at);
    size_t done = 0;
    *changed += 1; /* nobody knows */
    if (size == 4 || size == 8 || size == 16)
        return quick_own_elements(word, count, size, stride / 4, kind, t);
    while (done < count && quick_own(word, size / 4, kind, t, changed) == size / 4) {
        word += stride / 4;
        done++;
    }
    return done;
}

size_t shadow_elements(uintptr_t at, size_t count, size_t size, ptrdiff_t stride, enum access_kind kind,
                       struct actor *t, uint32_t *changed)
{
    struct race_found found = {0};
    if (stride == (ptrdiff_t)size) {
        size_t words = quick_words(at, at + count * size, kind, t, &found);
        *changed += found.changed;
        return words / (size / 4);
    }
    count = min_size(count, elements_in_chunk(at, size, stride));
    if (count == 0)
        return 0;
    uint32_t chunk = owner_chunk(at);
    enum owner_mode mode = begin_chunk(t, chunk, kind);
    if (mode == OWNER_IS_FROZEN)
        return elements_frozen(at, count, size, stride, t, changed);
    if (mode == OWNER_IS_ALL)
        return elements_shared(at, count, size, stride, kind, t, changed);
    size_t done = elements_own(at, count, size, stride, kind, t, changed);
    owner_leave(&t->owner);
    return done;
}

void shadow_access(uintptr_t address, size_t size, enum access_kind kind, struct actor *t,
                   struct race_found *found)
{
    *found = (struct race_found){0};
    uintptr_t end = address + size, base = address & ~(uintptr_t)3;
    while (base < end) {
        uint64_t *word = shadow_of(base);
        unsigned from = base < address ? (unsigned)(address - base) : 0;
        unsigned to = end - base < 4 ? (unsigned)(end - base) : 4;
        bool whole = likely(to - from == 4 && kind <= PLAIN_WRITE) && !word_expanded(load_relaxed(word));
        size_t done = whole ? quick_words(base, end, kind, t, found) : 0;
        if (done == 0) {
            if (!whole || unlikely(!plain_word(word, base, end, kind, t, found)))
                bytes(word, base, from, to, kind, t, found);
            done = 1;
        }
        base += 4 * done;
    }
    if (unlikely(t->met != NULL))
        tell_met(t, address, found);
}

bool shadow_read_few(uintptr_t address, size_t size, struct actor *t, uint32_t *changed)
{
    uintptr_t end = address + size;
    for (uintptr_t base = address & ~(uintptr_t)3; base < end; base += 4) {
        uint64_t *word = shadow_of(base), seen = load_acquire(word);
        unsigned from = base < address ? (unsigned)(address - base) : 0;
        unsigned to = end - base < 4 ? (unsigned)(end - base) : 4;
        bool done = word_recorded(seen) ? byte_glance(word, seen, from, to, t, changed)
                    : to - from == 4    ? quick_shared(word, 1, PLAIN_READ, t, changed) == 1
                                        : same_epoch_in_word(word, from, to, PLAIN_READ, t->now);
        if (!done)
            return false;
    }
    return true;
}

void shadow_access_alone(uintptr_t address, size_t size, enum access_kind kind, struct actor *t,
                         struct race_found *found)
{
    *found = (struct race_found){0};
    uintptr_t end = address + size;
    for (uintptr_t base = address & ~(uintptr_t)3; base < end; base += 4) {
        uint64_t *word = shadow_of(base);
        struct conflict c = {0, PLAIN_READ};
        unsigned from = base < address ? (unsigned)(address - base) : 0;
        unsigned to = end - base < 4 ? (unsigned)(end - base) : 4;
        if (to - from == 4 && own_word(word, kind, t, &c, found))
            note(found, c, base);
        else if (!same_epoch_in_word(word, from, to, kind, t->now))
            own_bytes(word, base, from, to, kind, t, found);
    }
}
