#include "shadow/frozen.h"

#include "shadow/byte_glance.h"
#include "shadow/owner_state.h"

enum { MOST_PAGES = 1 << 15, MOST_BYTE_PAGES = 1 << 13 }; /* 128 MB and 160 MB */

static struct slab pages = {.object = sizeof(struct notes)};
static struct spin lock; /* of all lists; their heads are in owner_more[] */

static struct arena byte_room; /* they stay readable, too */
static struct byte_notes *free_byte_pages;
static uint32_t all_byte_pages; /* with those that are free */

static struct notes *page_at(uint32_t index)
{
    return slab_at(&pages, index);
}

/* Goes up when a chunk is thawed in vain, and down with each request that is refused for that. Several
 * threads write it: an update that is lost only moves the limit a little. */
static uint32_t thawed;
enum { MOST_THAWED = 64, REFUSALS_FOR_EACH = 4 };

bool frozen_pays(void)
{
    uint32_t seen = load_relaxed(&thawed);
    if (likely(seen < MOST_THAWED) || owner_shortest_stay == 0)
        return true;
    store_relaxed(&thawed, seen - 1);
    return false;
}

void frozen_begin(uint32_t chunk)
{
    store_relaxed(&owner_more[chunk], 0);
}

/* --- readers --- */

static uint32_t find(uint32_t chunk, uint32_t reader)
{
    uint32_t index = owner_more[chunk];
    while (index != 0 && page_at(index)->reader != reader)
        index = page_at(index)->next;
    return index;
}

static uint32_t make(uint32_t chunk, uint32_t reader)
{
    if (slab_live(&pages) >= MOST_PAGES)
        return 0;
    uint32_t index = slab_take(&pages);
    struct notes *n = page_at(index);
    __builtin_memset(n->read, 0, sizeof n->read);
    n->chunk = chunk;
    n->next = owner_more[chunk];
    n->bytes = NULL;
    n->parts = 0;
    store_relaxed(&n->reader, reader);
    owner_more[chunk] = index;
    return index;
}

/* NULL: there are too many. */
static struct byte_notes *make_bytes(void)
{
    struct byte_notes *bytes = free_byte_pages;
    if (bytes != NULL) {
        free_byte_pages = bytes->next_free;
        return bytes;
    }
    if (all_byte_pages == MOST_BYTE_PAGES)
        return NULL;
    all_byte_pages++;
    return arena_take(&byte_room, sizeof *bytes);
}

void frozen_make_parts(struct notes *n, uint32_t parts)
{
    for (uint32_t left = parts & ~n->parts; left != 0; left &= left - 1)
        __builtin_memset(&n->bytes->read[NOTES_PART * __builtin_ctz(left)], 0,
                         NOTES_PART * sizeof *n->bytes->read);
    store_release(&n->parts, n->parts | parts);
}

struct notes *frozen_notes_slow(struct actor *t, uint32_t chunk, bool bytes)
{
    uint32_t index = 0;
    struct notes *n = NULL;
    spin_lock(&lock);
    if (load_relaxed(&owner_table[chunk]) == OWNER_FROZEN && t->owner.mine != 0 && !t->stands_in) {
        index = find(chunk, t->owner.mine);
        if (index == 0)
            index = make(chunk, t->owner.mine);
    }
    if (index != 0) {
        t->notes[chunk % NOTES_KNOWN] = n = page_at(index);
        if (bytes && n->bytes == NULL)
            store_release(&n->bytes, make_bytes());
    }
    spin_unlock(&lock);
    return n != NULL && (n->bytes != NULL || !bytes) ? n : NULL;
}

static bool page_ordered(const uint64_t *cell, unsigned from, unsigned to, const struct actor *t)
{
    bool ordered = true;
    for (unsigned i = from; i < to; i++)
        ordered &= frozen_ordered(write_half(load_relaxed(&cell[i])), t);
    return ordered;
}

bool frozen_cells_ordered(const uint64_t *word, unsigned from, unsigned to, const struct actor *t)
{
    if (word_paged(load_relaxed(word)))
        return page_ordered(byte_cells(word), from, to, t);
    const struct record *record = record_at(load_relaxed(word));
    return record->special == 0 && bytes_ordered(record->cell, from, to, t);
}

bool frozen_bytes_ordered(uintptr_t address, size_t size, const struct actor *t)
{
    uintptr_t end = address + size;
    for (uintptr_t base = address & ~(uintptr_t)3; base < end; base += 4) {
        unsigned from = base < address ? (unsigned)(address - base) : 0;
        unsigned to = end - base < 4 ? (unsigned)(end - base) : 4;
        if (!frozen_word_ordered(shadow_of(base), from, to, t))
            return false;
    }
    return true;
}

/* --- thawing --- */

/* Epochs of different slots; of one slot, the later. */
struct gathered {
    uint32_t count;
    uint32_t half[MOST_SLOTS]; /* only what is needed is ever touched */
};

/* One is kept: to unmap it interrupts all threads, as a membarrier does. */
static struct gathered *spare;

static struct gathered *gathered_take(void)
{
    struct gathered *g = exchange_acquire(&spare, NULL);
    return g != NULL ? g : arena_pages(sizeof *g);
}

static void gathered_give(struct gathered *g)
{
    struct gathered *none = NULL;
    if (!cas_acq_rel(&spare, &none, g))
        arena_pages_free(g, sizeof *g);
}

static void gather(uint32_t half, void *to)
{
    struct gathered *g = to;
    for (uint32_t i = 0; i < g->count; i++)
        if (half_slot(g->half[i]) == half_slot(half)) {
            g->half[i] = g->half[i] > half ? g->half[i] : half;
            return;
        }
    g->half[g->count++] = half;
}

/* What its reader has noted of the word's bytes. */
static const uint32_t *bytes_of(const struct notes *n, unsigned word)
{
    static const uint32_t nothing[4];
    return n->bytes != NULL && notes_have(n, notes_parts(4 * word, 4)) ? &n->bytes->read[4 * word] : nothing;
}

/* ... of one of them, and of the word. */
static void gather_notes(struct gathered *g, const struct notes *n, unsigned word, unsigned byte)
{
    if (n->read[word] != 0)
        gather(n->read[word], g);
    if (bytes_of(n, word)[byte] != 0)
        gather(bytes_of(n, word)[byte], g);
}

/* All that was noted of the byte, and what was known before. 0: nothing was noted. */
static uint32_t gather_byte(struct gathered *g, uint32_t list, unsigned word, unsigned byte, uint32_t before)
{
    g->count = 0;
    for (uint32_t index = list; index != 0; index = page_at(index)->next)
        gather_notes(g, page_at(index), word, byte);
    if (g->count == 0)
        return 0;
    sets_visit(before, gather, g);
    return sets_of(g->half, g->count);
}

static bool noted_alike(uint32_t list, unsigned word, unsigned other)
{
    for (uint32_t index = list; index != 0; index = page_at(index)->next) {
        const struct notes *n = page_at(index);
        if (n->read[word] != n->read[other] ||
            (n->bytes != NULL &&
             __builtin_memcmp(bytes_of(n, word), bytes_of(n, other), 4 * sizeof *n->bytes->read) != 0))
            return false;
    }
    return true;
}

/* Do one reader's notes of the whole word say all that those of its bytes do, or those the same of each? */
static bool noted_as_one(const struct notes *n, unsigned word)
{
    const uint32_t *byte = bytes_of(n, word);
    uint32_t whole = n->read[word];
    bool same = true, covered = true;
    for (unsigned i = 0; i < 4; i++) {
        same &= byte[i] == byte[0];
        covered &= byte[i] == 0 || (half_slot(byte[i]) == half_slot(whole) && byte[i] <= whole);
    }
    return same || covered;
}

static bool noted_in_parts(uint32_t list, unsigned word)
{
    for (uint32_t index = list; index != 0; index = page_at(index)->next)
        if (page_at(index)->bytes != NULL && !noted_as_one(page_at(index), word))
            return true;
    return false;
}

static void put_notes_into_page(uint64_t *cell, struct gathered *g, uint32_t list, unsigned word)
{
    for (unsigned i = 0; i < 4; i++) {
        uint32_t reads = gather_byte(g, list, word, i, read_half(cell[i]));
        if (reads != 0)
            store_relaxed(&cell[i], (uint64_t)reads << 32 | write_half(cell[i]));
    }
}

/* A plain word whose bytes are about to differ is PAGED then, if its chunk has a page or deserves one. */
static bool spelled_out(uint64_t *word)
{
    uint64_t *page = word_expanded(*word) || freed_any(word, 1) ? NULL : byte_page_wanted(shadow_chunk(word));
    if (page != NULL)
        byte_page_spell_out(byte_page_cells(page, word), word, *word);
    return page != NULL;
}

/* A word that has a record, or gets one. It may have got it just now: whoever waited for a reader has checked
 * what that one had put off. */
static void put_notes_into_record(struct record *r, struct gathered *g, uint32_t list, unsigned word)
{
    for (unsigned i = 0; r != NULL && i < 4; i++) {
        uint32_t reads = gather_byte(g, list, word, i, r->cell[i].r);
        if (reads != 0)
            r->cell[i].r = reads;
    }
    if (r != NULL)
        record_release(r);
}

static uint32_t words_in_parts; /* several threads write it */

uint32_t frozen_parts_count(void)
{
    return load_relaxed(&words_in_parts);
}

/* Nobody is in the chunk. Neighbours are mostly alike. Returns how many words had notes. */
static uint32_t put_notes_into_words(uint32_t chunk, uint32_t list)
{
    uint64_t *word = shadow_of((uintptr_t)chunk << OWNER_CHUNK_BITS);
    struct gathered *g = gathered_take();
    uint32_t last_before = 0, reads = 0, noted = 0;
    bool parts = false;
    for (unsigned i = 0; i < CHUNK_WORDS; i++) {
        uint32_t before = read_half(word[i]);
        if (i == 0 || before != last_before || !noted_alike(list, i, i - 1)) {
            reads = gather_byte(g, list, i, 0, before);
            parts = noted_in_parts(list, i);
        }
        last_before = before;
        if (parts)
            store_relaxed(&words_in_parts, load_relaxed(&words_in_parts) + 1);
        if (reads == 0 && !parts)
            continue;
        noted++;
        if (unlikely(word_paged(word[i])) || (parts && spelled_out(&word[i])))
            put_notes_into_page(byte_cells(&word[i]), g, list, i);
        else if (unlikely(word_recorded(word[i])))
            put_notes_into_record(record_hold_of(&word[i]), g, list, i);
        else if (parts)
            put_notes_into_record(record_lock(&word[i]), g, list, i);
        else
            store_release(&word[i], (uint64_t)reads << 32 | write_half(word[i]));
    }
    gathered_give(g);
    return noted;
}

/* Each note has saved a compare-and-swap at least, and a thawing costs as much as some hundred. (Tests want
 * both answers.) */
static bool notes_paid(uint32_t noted)
{
    return owner_shortest_stay == 0 ? noted % 2 == 1 : noted >= CHUNK_WORDS / 4;
}

static void wait_for_readers(uint32_t chunk, uint32_t list)
{
    for (uint32_t index = list; index != 0; index = page_at(index)->next)
        owner_wait(page_at(index)->reader, chunk, 1);
}

static void give_back(uint32_t list)
{
    spin_lock(&lock);
    for (uint32_t next; list != 0; list = next) {
        struct notes *n = page_at(list);
        next = n->next;
        if (n->bytes != NULL) {
            n->bytes->next_free = free_byte_pages;
            free_byte_pages = n->bytes;
        }
        store_release(&n->bytes, NULL);
        store_release(&n->reader, 0);
        slab_give(&pages, list);
    }
    spin_unlock(&lock);
}

enum thawing frozen_end(uint32_t chunk, bool stopped)
{
    uint32_t seen = OWNER_FROZEN;
    spin_lock(&lock);
    bool mine = cas_acq_rel(&owner_table[chunk], &seen, OWNER_MOVING);
    uint32_t list = owner_more[chunk];
    spin_unlock(&lock);
    if (!mine)
        return WAS_NOT_FROZEN;
    if (!stopped) {
        owner_fence_all();
        wait_for_readers(chunk, list);
    }
    bool paid = notes_paid(put_notes_into_words(chunk, list));
    if (!paid && !stopped)
        store_relaxed(&thawed, load_relaxed(&thawed) + REFUSALS_FOR_EACH);
    give_back(list);
    return paid ? FROZEN_WITH_PROFIT : FROZEN_IN_VAIN;
}
