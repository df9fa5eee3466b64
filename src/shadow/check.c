/* What a write would race with, without making it: for memory whose shadow is given up at once. */
#include "shadow/access.h"
#include "shadow/freed.h"
#include "shadow/mixed.h"
#include "shadow/uniform.h"

/* The word had a record. False: it has none any more. */
static bool check_record(uint64_t *word, uintptr_t base, unsigned from, unsigned to, struct actor *t,
                         struct race_found *found)
{
    struct record *record = record_lock_existing(word);
    if (record == NULL)
        return false;
    struct cell cell[4];
    if (record->special != 0)
        record_settle(record);
    __builtin_memcpy(cell, record->cell, sizeof cell);
    for (unsigned i = from; i < to; i++)
        note_bytes(found, cell_access(&cell[i], PLAIN_WRITE, t, 0), base + i, 1);
    record_unlock(record);
    return true;
}

/* The word was `paged`. False: a cell is changing, or closed, and the word has the rest to say. */
static bool check_bytes(uint64_t paged, uintptr_t base, unsigned from, unsigned to, struct actor *t,
                        struct race_found *found)
{
    const uint64_t *cell = byte_cells(paged);
    for (unsigned i = from; i < to; i++) {
        struct conflict c;
        uint64_t seen;
        do {
            seen = load_acquire(&cell[i]);
            if (word_expanded(seen))
                return false;
            c = state_check_write(seen, t);
        } while (load_acquire(&cell[i]) != seen); /* a vector may be another cell's by then */
        note_bytes(found, c, base + i, 1);
    }
    return true;
}

/* Bytes [from, to) of one word. */
static void check_word(uintptr_t base, unsigned from, unsigned to, struct actor *t, struct race_found *found)
{
    uint64_t *word = shadow_of(base);
    for (;;) {
        uint64_t seen = load_acquire(word);
        const uint64_t *at = uniform_where(word, &seen);
        if (word_recorded(seen)) {
            if (check_record(word, base, from, to, t, found))
                return;
            continue;
        }
        if (word_paged(seen)) {
            if (check_bytes(seen, base, from, to, t, found))
                return;
            continue;
        }
        if (word_mixed(seen)) {
            mixed_break(word);
            continue;
        }
        if (unlikely(word_expanded(seen))) { /* BUSY */
            sys_yield();
            continue;
        }
        struct conflict c = state_check_write(word_state(word, seen), t);
        if (likely(load_acquire(at) == seen)) { /* a vector may be another word's by then */
            note_bytes(found, c, base + from, to - from);
            return;
        }
    }
}

void shadow_check_write(uintptr_t address, size_t size, struct actor *t, struct race_found *found)
{
    *found = (struct race_found){0};
    uintptr_t end = address + size, next;
    for (; address < end; address = next) {
        next = min_size(((address >> CHUNK_BITS) + 1) << CHUNK_BITS, end);
        if (!chunk_used(chunk_of(address)))
            continue;
        for (uintptr_t base = address & ~(uintptr_t)3; base < next; base += 4)
            check_word(base, base < address ? (unsigned)(address - base) : 0,
                       next - base < 4 ? (unsigned)(next - base) : 4, t, found);
    }
}
