/* Runs of the history: what a loop has accessed, as two entries.
 *
 * Accesses of one place in one context, at a constant distance, become the first of them and a `more` entry. Others stay as
 * they are, and so do free() and accesses of 256 bytes and more. Within a context the order of plain accesses says nothing, and changes; a context, a sync entry or an atomic
 * access stays between those before it and those after it. A run that goes on from an earlier fold is extended.
 */
#include "runtime/history.h"

enum { OPEN = 32, FARTHEST = 1 << CHUNK_BITS /* lists and trees go to and fro: that is no loop */ };

/* Accesses of one place. */
struct run {
    uint64_t a;            /* of the entry; 0: none */
    uintptr_t first, next; /* next: where one more is expected */
    int64_t stride;
    uint64_t count;
};

struct folder {
    struct run run[OPEN];   /* by place */
    uint8_t in_order[OPEN]; /* those in use, by first use */
    unsigned used;
    struct entry *out;
};

hot_inline bool is_plain_access(const struct entry *e)
{
    const uint64_t tag_and_flags = 0xff & ~(uint64_t)(PLAIN_WRITE << 2), size = 0xff00;
    return (e->a & tag_and_flags) == ENTRY_ACCESS && (e->a & size) != 0;
}

static void put(struct folder *f, uint64_t a, uint64_t b)
{
    *f->out++ = (struct entry){a, b};
}

static void emit(struct folder *f, struct run *r)
{
    if (r->count == 0)
        return;
    put(f, r->a, r->first);
    if (r->count == 2)
        put(f, r->a, r->next - (uintptr_t)r->stride);
    else if (r->count > 2)
        put(f, (r->a >> 8 & 0xff) << 32 | ENTRY_MORE, r->count << 32 | (uint32_t)r->stride);
    r->count = 0;
}

static void emit_all(struct folder *f)
{
    for (unsigned i = 0; i < f->used; i++) {
        emit(f, &f->run[f->in_order[i]]);
        f->run[f->in_order[i]].a = 0;
    }
    f->used = 0;
}

hot_inline unsigned slot_of(uint64_t a)
{
    uint64_t pc = a >> 16;
    return (pc ^ pc >> 6) % OPEN;
}

hot_inline struct run *place_of(struct folder *f, uint64_t a)
{
    unsigned i = slot_of(a);
    if (f->run[i].a == 0)
        f->in_order[f->used++] = (uint8_t)i;
    return &f->run[i];
}

/* Returns whether a run has become longer. */
hot_inline bool add_one(struct folder *f, const struct entry *e)
{
    struct run *r = place_of(f, e->a);
    if (likely(r->a == e->a && r->count != 0)) {
        if (likely(r->count > 1 && r->next == e->b && r->count < UINT32_MAX)) {
            r->count++;
            r->next += (uintptr_t)r->stride;
            return true;
        }
        int64_t stride = (int64_t)(e->b - r->first);
        if (r->count == 1 && stride != 0 && stride >= -FARTHEST && stride <= FARTHEST) {
            r->stride = stride;
            r->next = e->b + (uintptr_t)stride;
            r->count = 2;
            return false;
        }
    }
    emit(f, r);
    *r = (struct run){.a = e->a, .first = e->b, .count = 1};
    return false;
}

enum { MOST_PLACES = 8 }; /* of a loop that is gone through in lockstep */

/* How many places the loop has whose latest access is *e: after so many entries the same place comes again. 0: more. */
static unsigned places_of(const struct entry *from, const struct entry *e)
{
    for (unsigned n = 1; n <= MOST_PLACES && e - from >= (ptrdiff_t)n; n++)
        if (e[-(ptrdiff_t)n].a == e->a)
            return n;
    return 0;
}

/* The last `places` entries before e are of one run each. While the same places come again, each where its run expects it, nothing is
 * looked up. Returns how many entries that is; the runs have them. */
static size_t add_rounds(struct folder *f, const struct entry *e, const struct entry *to, unsigned places)
{
    struct run *run[MOST_PLACES];
    uint64_t stride[MOST_PLACES];
    for (unsigned i = 0; i < places; i++) {
        const struct entry *last = e - places + i;
        run[i] = &f->run[slot_of(last->a)];
        if (run[i]->a != last->a || run[i]->count < 2 || run[i]->count > UINT32_MAX - HISTORY_BLOCK ||
            run[i]->next - (uintptr_t)run[i]->stride != last->b)
            return 0;
        stride[i] = (uint64_t)run[i]->stride;
    }
    size_t rounds = 0, room = (size_t)(to - e) / places;
    for (; rounds < room; rounds++)
        for (unsigned i = 0; i < places; i++) {
            const struct entry *next = &e[rounds * places + i];
            if (next->a != next[-(ptrdiff_t)places].a || next->b != next[-(ptrdiff_t)places].b + stride[i])
                goto done;
        }
done:
    if (rounds > 0 && &e[rounds * places] < to && (e[rounds * places].a & 3) == ENTRY_MORE)
        rounds--; /* the last entry begins a run of its own */
    for (unsigned i = 0; i < places; i++) {
        run[i]->count += rounds;
        run[i]->next += rounds * stride[i];
    }
    return rounds * places;
}

/* Can more accesses be added to the run that these two entries are? */
static bool is_regular(const struct entry *access, const struct entry *more)
{
    return more->a == ((access->a >> 8 & 0xff) << 32 | ENTRY_MORE) && more->b >> 32 > 1 &&
           (int32_t)more->b != 0;
}

static void add_run(struct folder *f, const struct entry *access, const struct entry *more)
{
    struct run *r = place_of(f, access->a);
    uint64_t count = more->b >> 32;
    int64_t stride = (int32_t)(uint32_t)more->b;
    uintptr_t next = access->b + count * (uintptr_t)stride;
    if (r->a == access->a && r->count > 1 && r->next == access->b && r->stride == stride &&
        r->count + count <= UINT32_MAX) {
        r->count += count;
        r->next = next;
        return;
    }
    emit(f, r);
    *r = (struct run){.a = access->a, .first = access->b, .next = next, .stride = stride, .count = count};
}

struct entry *history_fold(struct history *h, struct entry *from, struct entry *to)
{
    struct folder f = {.out = h->spare};
    const struct entry *retry = from;
    for (const struct entry *e = from; e < to; e++) {
        bool has_more = e + 1 < to && (e[1].a & 3) == ENTRY_MORE;
        if (likely(is_plain_access(e)) && likely(!has_more)) {
            unsigned places = add_one(&f, e) && e >= retry ? places_of(from, e) : 0;
            if (places == 0)
                continue;
            e += add_rounds(&f, e + 1, to, places);
            retry = e + MOST_PLACES;
        } else if (has_more && is_plain_access(e) && is_regular(e, e + 1)) {
            add_run(&f, e, e + 1);
            e++;
        } else {
            emit_all(&f);
            put(&f, e->a, e->b);
        }
    }
    emit_all(&f);
    size_t count = (size_t)(f.out - h->spare);
    __builtin_memcpy(from, h->spare, count * sizeof *from);
    return from + count;
}
