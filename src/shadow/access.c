#include "shadow/access.h"

#include "shadow/word.h"

/* --- whole words --- */

/* In a chunk that is the thread's own. False: the word is expanded. */
hot_inline bool own_word(uint64_t *word, enum access_kind kind, struct actor *t, struct conflict *c,
                         struct race_found *found)
{
    uint64_t old = load_acquire(word);
    if (unlikely(word_expanded(old)))
        return false;
    uint64_t new = word_after(old, kind, t, c);
    if (new != old) {
        store_release(word, new);
        found->changed++;
    }
    return true;
}

/* False: the word is expanded. */
static bool shared_word(uint64_t *word, enum access_kind kind, struct actor *t, struct conflict *c,
                        struct race_found *found)
{
    uint64_t old = load_acquire(word), new;
    do {
        if (unlikely(word_expanded(old)))
            return false;
        *c = (struct conflict){0, PLAIN_READ};
        new = word_after(old, kind, t, c);
        if (new == old)
            return true;
    } while (unlikely(!cas_acq_rel(word, &old, new)));
    found->changed++;
    return true;
}

static bool plain_word(uint64_t *word, uintptr_t address, enum access_kind kind, struct actor *t,
                       struct race_found *found)
{
    struct conflict c = {0, PLAIN_READ};
    bool own = owner_begin(&t->owner, owner_chunk(address));
    bool plain = own ? own_word(word, kind, t, &c, found) : shared_word(word, kind, t, &c, found);
    owner_end(&t->owner, own);
    note(found, c, address);
    return plain;
}

/* --- bytes, atomics, and whatever else has a record --- */

/* Would the access change a byte of a plain word? If not, the word need not be expanded for it. */
static bool changes_nothing(uint64_t old, enum access_kind kind, const struct actor *t)
{
    if (word_expanded(old) || kind > PLAIN_WRITE)
        return false;
    return write_half(old) == t->now || (kind == PLAIN_READ && read_half(old) == t->now);
}

/* Bytes [from, to) of the word at `address`. */
static void recorded_bytes(uint64_t *word, uintptr_t address, unsigned from, unsigned to, enum access_kind kind,
                           struct actor *t, struct race_found *found)
{
    if (changes_nothing(load_acquire(word), kind, t))
        return;
    bool own = owner_begin(&t->owner, owner_chunk(address));
    struct record *record = record_lock(word);
    shadow_cells_locked(record, address, from, to, kind, t, found);
    record_unlock(record);
    owner_end(&t->owner, own);
}

void shadow_access(uintptr_t address, size_t size, enum access_kind kind, struct actor *t,
                   struct race_found *found)
{
    *found = (struct race_found){0};
    uintptr_t end = address + size;
    for (uintptr_t base = address & ~(uintptr_t)3; base < end; base += 4) {
        uint64_t *word = shadow_of(base);
        unsigned from = base < address ? (unsigned)(address - base) : 0;
        unsigned to = end - base < 4 ? (unsigned)(end - base) : 4;
        if (likely(to - from == 4 && kind <= PLAIN_WRITE) && likely(plain_word(word, base, kind, t, found)))
            continue;
        recorded_bytes(word, base, from, to, kind, t, found);
    }
}
