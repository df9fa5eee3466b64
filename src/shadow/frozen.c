#include "shadow/frozen.h"

#include "shadow/owner_state.h"
#include "shadow/record.h"

enum { MOST_PAGES = 1 << 15 }; /* 128 MB */

static struct slab pages = {.object = sizeof(struct notes)};
static struct spin lock; /* of all lists; their heads are in owner_more[] */

static struct notes *page_at(uint32_t index)
{
    return slab_at(&pages, index);
}

/* Goes up when a chunk is thawed, and down with each request that is refused for that. Several threads write
 * it: an update that is lost only moves the limit a little. */
static uint32_t thawed;
enum { MOST_THAWED = 64, REFUSALS_FOR_EACH = 4 };

bool frozen_pays(void)
{
    uint32_t seen = load_relaxed(&thawed);
    if (likely(seen < MOST_THAWED))
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
    store_relaxed(&n->reader, reader);
    owner_more[chunk] = index;
    return index;
}

struct notes *frozen_notes_slow(struct actor *t, uint32_t chunk)
{
    uint32_t index = 0;
    spin_lock(&lock);
    if (load_relaxed(&owner_table[chunk]) == OWNER_FROZEN && t->owner.mine != 0) {
        index = find(chunk, t->owner.mine);
        if (index == 0)
            index = make(chunk, t->owner.mine);
    }
    spin_unlock(&lock);
    if (index != 0)
        t->notes[chunk % NOTES_KNOWN] = page_at(index);
    return index != 0 ? page_at(index) : NULL;
}

/* --- thawing --- */

/* Epochs of different slots; of one slot, the later. */
struct gathered {
    uint32_t count;
    uint32_t half[MOST_SLOTS]; /* only what is needed is ever touched */
};

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

/* All that was noted of the word, and what was known before. 0: nothing was noted. */
static uint32_t gather_word(struct gathered *g, uint32_t list, unsigned word, uint32_t before)
{
    g->count = 0;
    for (uint32_t index = list; index != 0; index = page_at(index)->next)
        if (page_at(index)->read[word] != 0)
            gather(page_at(index)->read[word], g);
    if (g->count == 0)
        return 0;
    sets_visit(before, gather, g);
    return sets_of(g->half, g->count);
}

static bool noted_alike(uint32_t list, unsigned word, unsigned other)
{
    for (uint32_t index = list; index != 0; index = page_at(index)->next)
        if (page_at(index)->read[word] != page_at(index)->read[other])
            return false;
    return true;
}

static void put_notes_into_page(uint64_t *cell, struct gathered *g, uint32_t list, unsigned at)
{
    for (unsigned i = 0; i < 4; i++) {
        uint32_t reads = gather_word(g, list, at, read_half(cell[i]));
        if (reads != 0)
            store_relaxed(&cell[i], (uint64_t)reads << 32 | write_half(cell[i]));
    }
}

/* Whoever waited for a reader has checked what it had put off, and that may be some bytes of a word which
 * others have read as a whole: their reads are reads of each byte. */
static void put_notes_into_record(uint64_t *word, struct gathered *g, uint32_t list, unsigned at)
{
    struct record *r = record_hold_of(word);
    for (int i = 0; r != NULL && i < 4; i++) {
        uint32_t reads = gather_word(g, list, at, r->cell[i].r);
        if (reads != 0)
            r->cell[i].r = reads;
    }
    if (r != NULL)
        record_release(r);
}

/* Nobody is in the chunk. Neighbours are mostly alike. */
static void put_notes_into_words(uint32_t chunk, uint32_t list)
{
    uint64_t *word = shadow_of((uintptr_t)chunk << OWNER_CHUNK_BITS);
    struct gathered *g = arena_pages(sizeof *g);
    uint32_t last_before = 0, reads = 0;
    for (unsigned i = 0; i < CHUNK_WORDS; i++) {
        uint32_t before = read_half(word[i]);
        if (i == 0 || before != last_before || !noted_alike(list, i, i - 1))
            reads = gather_word(g, list, i, before);
        last_before = before;
        if (reads == 0)
            continue;
        if (unlikely(word_paged(word[i])))
            put_notes_into_page(byte_cells(&word[i]), g, list, i);
        else if (unlikely(word_expanded(word[i])))
            put_notes_into_record(&word[i], g, list, i);
        else
            store_release(&word[i], (uint64_t)reads << 32 | write_half(word[i]));
    }
    arena_pages_free(g, sizeof *g);
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
        next = page_at(list)->next;
        store_release(&page_at(list)->reader, 0);
        slab_give(&pages, list);
    }
    spin_unlock(&lock);
}

bool frozen_end(uint32_t chunk, bool stopped)
{
    uint32_t seen = OWNER_FROZEN;
    spin_lock(&lock);
    bool mine = cas_acq_rel(&owner_table[chunk], &seen, OWNER_MOVING);
    uint32_t list = owner_more[chunk];
    spin_unlock(&lock);
    if (!mine)
        return false;
    if (!stopped) {
        store_relaxed(&thawed, load_relaxed(&thawed) + REFUSALS_FOR_EACH);
        owner_fence_all();
        wait_for_readers(chunk, list);
    }
    put_notes_into_words(chunk, list);
    give_back(list);
    return true;
}
