/* fasttrack2: FastTrack2 with the whole state of a variable in one 64-bit word, as in the live shadow.
 *
 * The word and its halves are clock/narrow.h's. A tagged R is the index of a read set. A tagged W is the
 * index of a *side record*, which holds the variable with 64-bit epochs when one of them does not fit a half;
 * it folds back into the word as soon as it fits. The event numbers of the last write and read lie in a
 * second array: the same-epoch paths never touch it. 8 + 12 = 20 bytes per variable.
 *
 * 1,024 slots and 2,097,151 releases per slot are no limits, only where the slow path begins:
 *   1. A retired slot (its thread was joined, or moved on) that no word refers to is recycled by a sweep.
 *   2. In a closed world the sweep first erases epochs that happen before all that every running thread can
 *      still do: nothing can race with them any more. (A trace in which threads appear without a fork is not
 *      closed: such a thread is unordered with everything, so nothing may be erased.)
 *   3. When no narrow slot can be had, threads get wide slots and what they touch moves to side records.
 */
#include <inttypes.h>
#include <stdio.h>

#include "clock/narrow.h"
#include "detect/drive.h"
#include "detect/fasttrack2_variable.h"

#ifndef FASTTRACK2_ID /* tests make the narrow epochs tiny, and give that detector another name */
#define FASTTRACK2_ID   fasttrack2
#define FASTTRACK2_NAME "fasttrack2"
#endif

_Static_assert(ACCESS_SET_INDEX_BITS < 31, "a read set's index fits a half, and never makes NOT_NARROW");

struct last_events { /* 48-bit event numbers */
    uint32_t w_low, r_low;
    uint16_t w_high, r_high;
};
_Static_assert(sizeof(struct last_events) == 12, "20 bytes per variable with the word");

struct fasttrack2 {
    struct host *host;
    uint64_t fired[RULES];
    uint64_t *word;   /* by variable */
    uint32_t *narrow; /* by thread: its current epoch as a half, or NOT_NARROW */
    struct last_events *last;
    size_t word_capacity, narrow_capacity, last_capacity;
    struct access_sets sets;
    struct fasttrack2_variable *side; /* side records */
    size_t side_count, side_capacity;
    uint32_t *free_side;
    size_t free_side_count, free_side_capacity;
    struct hb hb;
    uint64_t sweeps, swept_slots;
    uint32_t slots_at_sweep; /* hb.slots after the last sweep that freed too little; 0 after a good one */
    struct rule_count counted[RULES];
};

/* --- a variable between its packed and its plain form --- */

static uint32_t new_side(struct fasttrack2 *d)
{
    if (d->free_side_count > 0)
        return d->free_side[--d->free_side_count];
    require(d->side_count < NARROW_TAG);
    d->side = mem_reserve(&d->host->mem, d->side, sizeof *d->side, &d->side_capacity, d->side_count + 1);
    return (uint32_t)d->side_count++;
}

static void drop_side(struct fasttrack2 *d, uint32_t index)
{
    d->free_side = mem_reserve(&d->host->mem, d->free_side, sizeof *d->free_side, &d->free_side_capacity,
                               d->free_side_count + 1);
    d->free_side[d->free_side_count++] = index;
}

static struct fasttrack2_variable load(const struct fasttrack2 *d, uint32_t x)
{
    uint32_t w = write_half(d->word[x]), r = read_half(d->word[x]);
    if (unlikely(w & NARROW_TAG))
        return d->side[w & ~NARROW_TAG];
    const struct last_events *last = &d->last[x];
    return (struct fasttrack2_variable){
        .w = epoch_of_half(w),
        .r = r & NARROW_TAG ? (epoch){EPOCH_TAG | (r & ~NARROW_TAG)} : epoch_of_half(r),
        .w_event = last->w_low | (uint64_t)last->w_high << 32,
        .r_event = last->r_low | (uint64_t)last->r_high << 32,
    };
}

static cold_path void store_side(struct fasttrack2 *d, uint32_t x, const struct fasttrack2_variable *v)
{
    uint32_t w = write_half(d->word[x]);
    uint32_t index = w & NARROW_TAG ? w & ~NARROW_TAG : new_side(d);
    d->side[index] = *v;
    d->word[x] = NARROW_TAG | index;
}

static void store(struct fasttrack2 *d, uint32_t x, const struct fasttrack2_variable *v)
{
    bool shared = is_shared(v->r);
    if (unlikely(!fits_half(v->w) || !(shared || fits_half(v->r)))) {
        store_side(d, x, v);
        return;
    }
    uint32_t w = write_half(d->word[x]);
    if (unlikely(w & NARROW_TAG)) /* it fits again */
        drop_side(d, w & ~NARROW_TAG);
    uint32_t r = shared ? NARROW_TAG | (uint32_t)v->r.v : half_of(v->r);
    d->word[x] = (uint64_t)r << 32 | half_of(v->w);
    d->last[x] = (struct last_events){.w_low = (uint32_t)v->w_event,
                                      .w_high = (uint16_t)(v->w_event >> 32),
                                      .r_low = (uint32_t)v->r_event,
                                      .r_high = (uint16_t)(v->r_event >> 32)};
}

/* --- accesses: the common cases on the packed word, the rest in plain form --- */

static __attribute__((noinline)) int read_slow(struct fasttrack2 *d, uint32_t thread, uint32_t x, uint64_t n)
{
    struct fasttrack2_variable v = load(d, x);
    int rule = fasttrack2_read(&v, &d->sets, &d->hb.thread[thread], x, n);
    if (!rule_table[rule].same_epoch)
        store(d, x, &v);
    return rule;
}

static __attribute__((noinline)) int write_slow(struct fasttrack2 *d, uint32_t thread, uint32_t x, uint64_t n)
{
    struct fasttrack2_variable v = load(d, x);
    int rule = fasttrack2_write(&v, &d->sets, &d->hb.thread[thread], x, n);
    if (!rule_table[rule].same_epoch)
        store(d, x, &v);
    return rule;
}

/* Both halves are epochs, and so is the thread's: no read set, no side record, no wide slot. */
hot_inline bool all_narrow(uint64_t word, uint32_t now)
{
    return ((word | now) & ((uint64_t)NARROW_TAG << 32 | NARROW_TAG)) == 0;
}

hot_inline int on_read(struct fasttrack2 *d, uint32_t thread, uint32_t x, uint64_t n)
{
    uint64_t word = d->word[x];
    uint32_t now = d->narrow[thread];
    if (likely(read_half(word) == now))
        return READ_SAME_EPOCH;
    if (write_half(word) == now)
        return READ_OWN_WRITE;
    const uint32_t *clock = d->hb.thread[thread].clock;
    if (likely(all_narrow(word, now)) && likely(!races_with_write(epoch_of_half(write_half(word)), clock)) &&
        likely(read_exclusive(epoch_of_half(read_half(word)), clock))) {
        d->word[x] = (uint64_t)now << 32 | write_half(word);
        d->last[x].r_low = (uint32_t)n;
        d->last[x].r_high = (uint16_t)(n >> 32);
        return READ_EXCLUSIVE;
    }
    return read_slow(d, thread, x, n);
}

hot_inline int on_write(struct fasttrack2 *d, uint32_t thread, uint32_t x, uint64_t n)
{
    uint64_t word = d->word[x];
    uint32_t now = d->narrow[thread];
    if (likely(write_half(word) == now))
        return WRITE_SAME_EPOCH;
    const uint32_t *clock = d->hb.thread[thread].clock;
    if (likely(all_narrow(word, now)) && likely(!races_with_write(epoch_of_half(write_half(word)), clock)) &&
        likely(!races_with_read(epoch_of_half(read_half(word)), clock))) {
        d->word[x] = now;
        d->last[x].w_low = (uint32_t)n;
        d->last[x].w_high = (uint16_t)(n >> 32);
        return WRITE_EXCLUSIVE;
    }
    return write_slow(d, thread, x, n);
}

static void on_alloc(struct fasttrack2 *d, uint32_t x)
{
    struct fasttrack2_variable v = load(d, x);
    fasttrack2_clear(&v, &d->sets);
    store(d, x, &v);
}

static void copy(void *self, uint32_t from, uint32_t to)
{
    struct fasttrack2 *d = self;
    struct fasttrack2_variable v = load(d, from), own = fasttrack2_copy(&v, &d->sets);
    store(d, to, &own);
}

/* --- synchronization --- */

static void refresh(struct fasttrack2 *d, uint32_t thread)
{
    epoch e = d->hb.thread[thread].epoch;
    d->narrow[thread] = fits_half(e) ? half_of(e) : NOT_NARROW;
}

static void on_start(struct fasttrack2 *d, uint32_t thread)
{
    hb_start(&d->hb, thread);
    refresh(d, thread);
}

static void on_sync(struct fasttrack2 *d, const struct event *e)
{
    hb_sync(&d->hb, e);
    refresh(d, e->thread);
    if (e->op == OP_FORK)
        refresh(d, e->target);
}

/* --- the sweep --- */

struct sweep {
    uint32_t *lowest; /* by slot, NULL in an open world: epochs up to this are ordered before everything */
    bool *referred;   /* by narrow slot */
};

static epoch sweep_epoch(const struct sweep *s, epoch e)
{
    if (s->lowest != NULL && epoch_before(e, s->lowest))
        return (epoch){0};
    if (epoch_clock(e) != 0 && epoch_slot(e) < NARROW_SLOTS)
        s->referred[epoch_slot(e)] = true;
    return e;
}

/* Returns whether any entry is left. */
static bool sweep_set(const struct sweep *s, struct accesses *set)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set->length; i++) {
        const struct access_entry *e = &set->entry[i];
        if (!epoch_is_none(sweep_epoch(s, epoch_of(e->slot, e->clock))))
            set->entry[kept++] = *e;
    }
    set->length = kept;
    return kept > 0;
}

static void sweep_variable(struct fasttrack2 *d, const struct sweep *s, uint32_t x)
{
    if (d->word[x] == 0)
        return;
    struct fasttrack2_variable v = load(d, x);
    v.w = sweep_epoch(s, v.w);
    if (!is_shared(v.r))
        v.r = sweep_epoch(s, v.r);
    else if (!sweep_set(s, read_set(&d->sets, v.r))) {
        read_set_drop(&d->sets, v.r);
        v.r = (epoch){0};
    }
    store(d, x, &v);
}

/* Called when narrow slots run out. A sweep costs a pass over all variables; one that freed little is not
 * repeated before as many wide slots have been given out as there are narrow ones. */
static cold_path void reclaim_slots(void *self)
{
    struct fasttrack2 *d = self;
    struct hb *hb = &d->hb;
    if (d->slots_at_sweep != 0 && hb->slots - d->slots_at_sweep < NARROW_SLOTS)
        return;
    struct mem *mem = &d->host->mem;
    struct sweep s = {.referred = mem_alloc(mem, NARROW_SLOTS * sizeof *s.referred)};
    size_t lowest_bytes = hb->slots * sizeof *s.lowest;
    if (d->host->closed_world) {
        s.lowest = mem_alloc(mem, lowest_bytes);
        hb_lowest(hb, s.lowest);
    }
    for (uint32_t x = 0; x < d->host->extent.variables; x++)
        sweep_variable(d, &s, x);
    uint32_t freed = hb_recycle(hb, s.referred);
    d->sweeps++;
    d->swept_slots += freed;
    d->slots_at_sweep = freed <= NARROW_SLOTS / 8 ? hb->slots : 0;
    mem_free(mem, s.referred, NARROW_SLOTS * sizeof *s.referred);
    if (s.lowest != NULL)
        mem_free(mem, s.lowest, lowest_bytes);
}

/* --- life --- */

static void *create(struct host *host)
{
    struct fasttrack2 *d = mem_alloc(&host->mem, sizeof *d);
    d->host = d->sets.host = host;
    hb_init(&d->hb, host, NARROW_SLOTS, NARROW_CLOCK_MAX);
    d->hb.reclaim = reclaim_slots;
    d->hb.reclaim_self = d;
    return d;
}

static void extend(void *self)
{
    struct fasttrack2 *d = self;
    struct mem *mem = &d->host->mem;
    const struct extent *to = &d->host->extent;
    hb_extend(&d->hb);
    d->word = mem_reserve_tight(mem, d->word, sizeof *d->word, &d->word_capacity, to->variables);
    d->last = mem_reserve_tight(mem, d->last, sizeof *d->last, &d->last_capacity, to->variables);
    d->narrow = mem_reserve(mem, d->narrow, sizeof *d->narrow, &d->narrow_capacity, to->threads);
}

static void stats(void *self, struct detector_stats *out)
{
    struct fasttrack2 *d = self;
    hb_stats(&d->hb, rule_table, d->fired, d->counted, RULES, out);
    out->read_shared = d->sets.count - d->sets.free_count;
    out->variable_bytes = d->word_capacity * sizeof *d->word + d->last_capacity * sizeof *d->last +
                          d->sets.capacity * sizeof *d->sets.set + d->sets.bytes +
                          d->side_capacity * sizeof *d->side;
    if (d->sweeps > 0)
        snprintf(out->note, sizeof out->note,
                 "%" PRIu64 " sweeps recycled %" PRIu64 " slots; %zu variables in side records", d->sweeps,
                 d->swept_slots, d->side_count - d->free_side_count);
}

static void destroy(void *self)
{
    struct fasttrack2 *d = self;
    struct mem *mem = &d->host->mem;
    hb_free(&d->hb);
    access_sets_free(&d->sets);
    mem_free(mem, d->word, d->word_capacity * sizeof *d->word);
    mem_free(mem, d->last, d->last_capacity * sizeof *d->last);
    mem_free(mem, d->narrow, d->narrow_capacity * sizeof *d->narrow);
    mem_free(mem, d->side, d->side_capacity * sizeof *d->side);
    mem_free(mem, d->free_side, d->free_side_capacity * sizeof *d->free_side);
    mem_free(mem, d, sizeof *d);
}

DETECTOR(FASTTRACK2_ID, struct fasttrack2, .name = FASTTRACK2_NAME, .source = "FastTrack2 (2017), Fig. 1",
         .promise = "precise; epochs packed into one word per variable", .precise = true);
