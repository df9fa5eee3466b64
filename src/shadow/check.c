/* What a write would race with, without making it: for memory whose shadow is given up at once. */
#include "shadow/access.h"
#include "shadow/freed.h"
#include "shadow/readers.h"
#include "shadow/uniform.h"
#include "shadow/word.h"

/* The word is PAGED. */
static void check_bytes(const uint64_t *word, uintptr_t base, unsigned from, unsigned to, struct actor *t,
                        struct race_found *found)
{
    const uint64_t *cell = byte_cells(word);
    for (unsigned i = from; i < to; i++) {
        struct conflict c = {0, PLAIN_READ};
        word_after_write(load_relaxed(&cell[i]), t, &c);
        note_bytes(found, c, base + i, 1);
    }
}

/* A word with a vector of readers has a record for as long as it takes. */
static void check_record(uint64_t *word, uintptr_t base, unsigned from, unsigned to, struct actor *t,
                         struct race_found *found)
{
    struct record *record =
        is_readers(read_half(load_acquire(word))) ? record_lock(word) : record_lock_existing(word);
    if (record != NULL) {
        struct cell cell[4];
        if (record->special != 0)
            record_settle(record);
        record_gather_readers(record);
        __builtin_memcpy(cell, record->cell, sizeof cell);
        for (unsigned i = from; i < to; i++)
            note_bytes(found, cell_access(&cell[i], PLAIN_WRITE, t, 0), base + i, 1);
        record_unlock(record);
    }
}

static void check_expanded(uint64_t *word, uintptr_t base, unsigned from, unsigned to, struct actor *t,
                           struct race_found *found)
{
    bool own = owner_begin(&t->owner, owner_chunk(base));
    if (word_paged(load_acquire(word)))
        check_bytes(word, base, from, to, t, found);
    else
        check_record(word, base, from, to, t, found);
    owner_end(&t->owner, own);
}

/* The bytes of one word. */
static void check_word(uintptr_t base, unsigned from, unsigned to, struct actor *t, struct race_found *found)
{
    uint64_t *word = shadow_of(base), seen = word_state(word, load_acquire(word));
    struct conflict c = {0, PLAIN_READ};
    if (unlikely(word_expanded(seen) || is_readers(read_half(seen))))
        check_expanded(word, base, from, to, t, found);
    else if (seen != 0)
        word_after_write(seen, t, &c);
    note_bytes(found, c, base + from, to - from);
}

/* Bytes of one chunk. Where nobody ever was, the shadow is not looked at. */
static void check_chunk(uintptr_t address, uintptr_t end, struct actor *t, struct race_found *found)
{
    uint32_t chunk = owner_chunk(address);
    if ((end - address == 1 << OWNER_CHUNK_BITS && uniform_write_follows(chunk, t)) ||
        load_relaxed(&owner_table[chunk]) == OWNER_NOBODY)
        return;
    owner_thaw(address, end - address);
    for (uintptr_t base = address & ~(uintptr_t)3; base < end; base += 4)
        check_word(base, base < address ? (unsigned)(address - base) : 0,
                   end - base < 4 ? (unsigned)(end - base) : 4, t, found);
}

void shadow_check_write(uintptr_t address, size_t size, struct actor *t, struct race_found *found)
{
    *found = (struct race_found){0};
    uintptr_t end = address + size, next;
    for (; address < end; address = next) {
        next = min_size(((address >> OWNER_CHUNK_BITS) + 1) << OWNER_CHUNK_BITS, end);
        check_chunk(address, next, t, found);
    }
}
