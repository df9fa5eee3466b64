#include "shadow/sweep.h"

#include "shadow/freed.h"
#include "shadow/chunks.h"
#include "shadow/mixed.h"
#include "shadow/uniform.h"

static void note_epoch(const struct sweep *s, uint32_t half)
{
    uint32_t *lowest = &s->lowest[half_slot(half)];
    *lowest = half < *lowest ? half : *lowest;
}

/* An epoch or a set; sets' epochs are noted at the end, once for each set. */
static uint32_t part_swept(const struct sweep *s, uint32_t part)
{
    if (part & NARROW_TAG)
        part = sets_swept(part, s->known, s->map);
    else if (half_before(part, s->known))
        return 0;
    else if (s->map != NULL)
        part = s->map(part);
    if (part != 0 && !(part & NARROW_TAG))
        note_epoch(s, part);
    return part;
}

/* --- words --- */

struct words {
    const struct sweep *sweep;
    uint64_t old, new; /* the last one that was looked at: neighbours mostly agree */
};

/* When its memory was freed: neighbours are mostly of one block. */
static void freed_in(const uint64_t *word, const uint64_t *end, const struct sweep *s)
{
    uint32_t last = 0, new = 0;
    for (uint32_t *freed = freed_of(word); freed < freed_of(end); freed++) {
        uint32_t old = load_relaxed(freed);
        if (old == 0 || old & NARROW_TAG)
            continue;
        if (old != last)
            new = part_swept(s, last = old);
        if (new != old)
            cas_relaxed(freed, &old, new);
    }
}

/* What is left of a plain word, or of the cell of a byte. */
static uint64_t word_swept(struct words *w, uint64_t old)
{
    if (old != w->old) {
        uint64_t read = part_swept(w->sweep, read_half(old));
        w->new = read << 32 | part_swept(w->sweep, write_half(old));
        w->old = old;
    }
    return w->new;
}

/* The word was `paged`. */
static void bytes_swept(struct words *w, uint64_t *word, uint64_t paged)
{
    uint64_t *cell = byte_cells(paged);
    for (unsigned i = 0; i < 4; i++)
        store_relaxed(&cell[i], word_swept(w, cell[i]));
    if (bytes_agree(cell))
        cas_relaxed(word, &paged, cell[0]);
    else
        bytes_keep(byte_group_of(paged));
}

/* The pair was mixed. No epoch is renamed here: sweep_shadow() breaks mixed pairs up before it renames. */
static void mixed_swept(const struct sweep *s, uint64_t *pair)
{
    uint64_t low = load_relaxed(pair), high = load_relaxed(pair + 1), low_to, high_to;
    struct mixed m = mixed_unpack(low, high);
    for (uint32_t i = 1; i <= MIXED_EPOCHS; i++)
        if (!mixed_has(m.roles, i) || part_swept(s, mixed_epoch(&m, i)) == 0)
            mixed_erase(&m, i);
    mixed_pack(&m, &low_to, &high_to);
    cas_pair_each(pair, low, high, low_to, high_to);
}

/* The block was uniform. Where nothing is left of its state, its words are empty. False: look at the words, since
 * shadow_clear() breaks it up. */
static bool block_swept(struct words *w, uint64_t *block)
{
    uint64_t seen = uniform_state(block);
    if (seen == 0)
        return false;
    uint64_t new = word_swept(w, seen);
    return new == 0 ? uniform_empty(block, seen) : cas_relaxed(uniform_of(block), &seen, new);
}

static void words_of(uint32_t chunk, void *to)
{
    struct words *w = to;
    uint64_t *word = shadow_of((uintptr_t)chunk << CHUNK_BITS), *end = word + (1 << CHUNK_BITS) / 4;
    freed_in(word, end, w->sweep);
    for (size_t step; word < end; word += step) {
        uint64_t old = load_acquire(word);
        step = 1;
        if (word_uniform(old)) {
            step = block_swept(w, word) ? UNIFORM_WORDS : 0;
            continue;
        }
        if (word_paged(old))
            bytes_swept(w, word, old);
        if (word_mixed(old) && is_pair(word))
            mixed_swept(w->sweep, word);
        if (old == 0 || word_expanded(old))
            continue;
        uint64_t new = word_swept(w, old);
        if (new != old)
            cas_relaxed(word, &old, new);
    }
}

/* --- records --- */

static void replace(struct record *r, uint32_t part, uint32_t by)
{
    for (int i = 0; i < 4; i++) {
        if (r->cell[i].aw == part)
            r->cell[i].aw = by;
        if (r->cell[i].ar == part)
            r->cell[i].ar = by;
    }
}

static void sweep_cells(const struct sweep *s, struct record *r)
{
    bool atomic = false;
    record_spread(r);
    for (int i = 0; i < 4; i++) {
        struct cell *c = &r->cell[i];
        c->w = part_swept(s, c->w);
        c->r = part_swept(s, c->r);
        c->aw = part_swept(s, c->aw);
        c->ar = part_swept(s, c->ar);
        atomic |= (c->aw | c->ar) != 0;
    }
    if (r->special & LEADS && !atomic && s->map == NULL)
        record_settle(r); /* both may be folded then; nothing may be renamed twice */
}

static void lose(const struct sweep *s, struct record *r)
{
    record_spread(r);
    for (int i = 0; i < 4; i++) {
        uint32_t part[] = {r->cell[i].aw, r->cell[i].ar};
        for (int k = 0; k < 2; k++)
            if (is_crowd(part[k]) && (r->cell[i].aw == part[k] || r->cell[i].ar == part[k])) {
                replace(r, part[k], 0);
                vector_free(part[k]);
            }
    }
    if (r->sync != NULL)
        s->lost(r->sync);
    record_give(r);
}

static void sweep_records(const struct sweep *s)
{
    for (uint32_t index = 1; index <= record_slab.used; index++) {
        struct record *r = slab_at(&record_slab, index);
        if (r->word == NULL)
            continue;
        if (load_relaxed(r->word) == (NARROW_TAG | index))
            sweep_cells(s, r);
        else
            lose(s, r);
    }
}

/* --- readers elsewhere --- */

/* Of a word or of a cell. */
static void settle_state(uint64_t *state)
{
    uint64_t old = load_relaxed(state), seen = old;
    if (likely(word_expanded(old) || !is_vector(read_half(old))))
        return;
    if (cas_relaxed(state, &seen, (uint64_t)vector_intern(read_half(old)) << 32 | write_half(old)))
        vector_free(read_half(old));
}

/* Vectors become sets. */
static void settle(uint32_t chunk, void *nothing)
{
    (void)nothing;
    uint64_t *word = shadow_of((uintptr_t)chunk << CHUNK_BITS), *end = word + (1 << CHUNK_BITS) / 4;
    for (; word < end; word++) {
        if (uniform_begins(word) && word_uniform(load_relaxed(word)))
            settle_state(uniform_of(word));
        settle_state(word);
        uint64_t seen = load_relaxed(word);
        for (unsigned i = 0; word_paged(seen) && i < 4; i++)
            settle_state(&byte_cells(seen)[i]);
    }
}

/* Epochs with other names may not fit a mixed pair. */
static void break_mixed(uint32_t chunk, void *nothing)
{
    (void)nothing;
    uint64_t *word = shadow_of((uintptr_t)chunk << CHUNK_BITS), *end = word + (1 << CHUNK_BITS) / 4;
    for (; word < end; word += 2)
        if (word_mixed(load_relaxed(word)))
            mixed_break(word);
}

/* Crowds, too. */
static void settle_records(void)
{
    for (uint32_t index = 1; index <= record_slab.used; index++) {
        struct record *r = slab_at(&record_slab, index);
        if (r->word == NULL || r->special == 0)
            continue;
        record_hold(r);
        bool named = load_relaxed(r->word) == (NARROW_TAG | index);
        if (named && !(r->special & FOLLOWS))
            record_dissolve_crowds(r);
        record_release(r);
    }
}

void sweep_settle(void)
{
    chunks_each(settle, NULL);
    settle_records();
}

/* --- all --- */

void sweep_shadow(const struct sweep *s)
{
    struct words words = {.sweep = s};
    sweep_settle();
    if (s->map != NULL)
        chunks_each(break_mixed, NULL);
    sets_sweep_begin(s->map != NULL);
    bytes_sweep_begin();
    chunks_each(words_of, &words);
    bytes_sweep_end();
    sweep_records(s);
    vectors_collect();
    sets_sweep_end(s->lowest);
}

void sweep_each_sync(void (*visit)(struct sync **list, void *to), void *to)
{
    for (uint32_t index = 1; index <= record_slab.used; index++) {
        struct record *r = slab_at(&record_slab, index);
        if (r->word == NULL)
            continue;
        record_hold(r);
        if (r->sync != NULL)
            visit(&r->sync, to);
        if (r->special == 0)
            record_unlock(r); /* folds it if it can */
        else
            record_release(r);
    }
}
