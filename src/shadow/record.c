#include "shadow/record.h"

#include "base/count.h"
#include "shadow/freed.h"
#include "shadow/mixed.h"
#include "shadow/uniform.h"

struct slab record_slab = {.object = sizeof(struct record)};

static uint64_t word_of(uint32_t index)
{
    return NARROW_TAG | index;
}

uint32_t record_live(void)
{
    return slab_live(&record_slab);
}

cold_path void record_wait(struct record *r)
{
    for (unsigned tries = 0; load_relaxed(&r->seq) & 1 || __atomic_fetch_or(&r->seq, 1, __ATOMIC_SEQ_CST) & 1;
         tries++) {
        if (tries < 64)
            __builtin_ia32_pause();
        else
            sys_yield();
    }
}

/* The word had a vector and names the record, which is locked, now: no reader can be added any more. */
static void take_over(struct record *r, uint64_t old)
{
    uint32_t set = state_take_readers(old);
    for (int i = 0; i < 4; i++)
        r->cell[i].r = set;
}

/* The word was empty, and its memory was freed while it got the record. */
cold_path static void begin_freed(struct record *r)
{
    freed_mark(r->word);
    for (int i = 0; i < 4; i++)
        r->cell[i].w = freed_when(r->word);
}

/* A fresh record, locked, with the state that the word has in its plain form. */
static uint32_t expand(uint64_t *word, uint64_t old)
{
    uint32_t index = slab_take(&record_slab);
    struct record *r = slab_at(&record_slab, index);
    record_hold(r); /* somebody with a stale index may hold it for a moment */
    r->word = word;
    r->index = index;
    r->sync = NULL;
    r->special = 0;
    for (int i = 0; i < 4; i++)
        r->cell[i] = (struct cell){.w = write_half(old), .r = read_half(old)};
    return index;
}

struct record *record_hold_of(uint64_t *word)
{
    for (;;) {
        uint64_t seen = load_acquire(word);
        if (!word_recorded(seen))
            return NULL;
        struct record *r = record_at(seen);
        record_hold(r);
        if (likely(load_relaxed(word) == seen))
            return r;
        record_release_same(r);
    }
}

/* The word's record follows, or did a moment ago. It may do so without a leader, if that one's memory was
 * cleared. */
cold_path static void separate(uint64_t *word)
{
    struct record *leader = record_hold_of(word - 1);
    if (leader != NULL && leader->special & LEADS) {
        record_settle(leader);
    } else {
        struct record *r = record_hold_of(word);
        if (r != NULL) {
            r->special &= ~FOLLOWS;
            record_release(r);
        }
    }
    if (leader != NULL)
        record_release(leader);
}

void record_separate(uint64_t *second)
{
    struct record *first = record_hold_of(second - 1);
    if (first == NULL)
        return;
    if (first->special & LEADS)
        record_settle(first);
    record_release(first);
}

struct record *record_lock_existing(uint64_t *word)
{
    for (;;) {
        struct record *r = record_hold_of(word);
        if (r == NULL || likely(!(r->special & FOLLOWS)))
            return r;
        record_release(r);
        separate(word);
    }
}

/* The word was `paged`. NULL: it is not any more. */
static struct record *from_bytes(uint64_t *word, uint64_t paged)
{
    uint64_t cell[4];
    if (!bytes_close(word, paged, cell))
        return NULL;
    uint32_t index = expand(word, 0);
    struct record *r = slab_at(&record_slab, index);
    for (int i = 0; i < 4; i++)
        r->cell[i] = (struct cell){.w = write_half(cell[i]), .r = state_take_readers(cell[i])};
    count(EXPANSIONS);
    store_release(word, word_of(index));
    return r;
}

struct record *record_lock(uint64_t *word)
{
    for (;;) {
        struct record *r = record_lock_existing(word);
        if (r != NULL)
            return r;
        uint64_t seen = load_relaxed(word);
        if (word_recorded(seen))
            continue;
        if (unlikely(write_half(seen) == BUSY)) {
            sys_yield();
            continue;
        }
        if (unlikely(word_uniform(seen))) {
            uniform_break(word);
            continue;
        }
        if (word_mixed(seen)) {
            mixed_break(word);
            continue;
        }
        if (seen == 0)
            chunk_use(shadow_chunk(word));
        if (seen == 0 && freed_any(word)) {
            freed_spell_out(word);
            continue;
        }
        if (word_paged(seen)) {
            if ((r = from_bytes(word, seen)) != NULL)
                return r;
            continue;
        }
        uint32_t index = expand(word, seen);
        r = slab_at(&record_slab, index);
        if (cas_acq_rel(word, &seen, word_of(index))) {
            count(EXPANSIONS);
            if (unlikely(is_vector(read_half(seen))))
                take_over(r, seen);
            if (seen == 0 && freed_any(word))
                begin_freed(r);
            return r;
        }
        r->word = NULL;
        record_release(r);
        slab_give(&record_slab, index);
    }
}

/* The same part in all cells that have it. */
static void replace(struct record *r, uint32_t part, uint32_t by)
{
    for (int i = 0; i < 4; i++) {
        if (r->cell[i].aw == part)
            r->cell[i].aw = by;
        if (r->cell[i].ar == part)
            r->cell[i].ar = by;
    }
}

static void dissolve(struct record *r, uint32_t part)
{
    if (!is_crowd(part))
        return;
    replace(r, part, vector_intern(part));
    vector_free(part);
    r->special--;
}

cold_path void record_dissolve_crowds(struct record *r)
{
    record_spread(r);
    for (int i = 0; i < 4; i++) {
        dissolve(r, r->cell[i].aw);
        dissolve(r, r->cell[i].ar);
    }
}

/* What the leader says now is said by both. */
static void let_go(struct record *leader)
{
    struct record *r = record_hold_of(leader->word + 1);
    if (r == NULL)
        return;
    if (r->special & FOLLOWS)
        for (int i = 0; i < 4; i++)
            r->cell[i] = leader->cell[0];
    r->special &= ~FOLLOWS;
    record_release(r);
}

cold_path void record_settle(struct record *r)
{
    record_dissolve_crowds(r);
    if (r->special & LEADS)
        let_go(r);
    r->special = 0;
}

static bool cells_same(const struct cell *c)
{
    return cell_same(&c[0], &c[1]) && cell_same(&c[0], &c[2]) && cell_same(&c[0], &c[3]);
}

static bool foldable(const struct record *r)
{
    const struct cell *c = r->cell;
    return r->sync == NULL && r->special == 0 && (c[0].aw | c[0].ar) == 0 && !(c[0].w & NARROW_TAG) &&
           cells_same(c);
}

void record_unlock(struct record *r)
{
    if (likely(!foldable(r))) {
        record_release(r);
        return;
    }
    /* Fails only if the memory was cleared under us: then the empty word is right. */
    uint64_t seen = word_of(r->index);
    count(FOLDS);
    cas_acq_rel(r->word, &seen, (uint64_t)r->cell[0].r << 32 | r->cell[0].w);
    record_give(r);
}

void record_give(struct record *r)
{
    uint32_t index = r->index;
    r->word = NULL;
    store_release(&r->seq, (r->seq | 1) + 1); /* locked, or the world is stopped */
    slab_give(&record_slab, index);
}
