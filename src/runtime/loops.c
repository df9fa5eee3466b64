/* Checks that the compiler has moved out of loops (src/place/): all accesses of one place at once. */
#include "runtime/loops.h"

#include "base/count.h"
#include "runtime/access.h"
#include "runtime/history.h"
#include "runtime/single_threaded.h"
#include "runtime/world.h"
#include "shadow/same_epoch.h"

/* What is left to be checked. */
struct elements {
    uintptr_t at;
    size_t size, count;
    size_t unit; /* what the program accesses at a time: in text, which is checked by words, a part of one */
    ptrdiff_t stride;
    enum access_kind kind;
    uintptr_t pc;
    const struct fields *fields; /* of one element, instead of `unit` and `pc`; NULL: it has none */
};

static void skip(struct elements *e, size_t count)
{
    e->at += count * (uintptr_t)e->stride;
    e->count -= count;
}

/* Those at the beginning that the thread has accessed in this epoch. */
static void skip_known(struct elements *e, uint32_t now)
{
    if (e->stride == (ptrdiff_t)e->size)
        skip(e, same_epoch_blocks(shadow_of(e->at), e->count * (e->size / 4), e->kind, now) / (e->size / 4));
    while (e->count > 0 && same_epoch(e->at, e->size, e->kind, now))
        skip(e, 1);
}

/* The history comes before the shadow: a thread that meets these accesses there can find out where they were. */
static void remember_fields(struct thread *t, const struct elements *e)
{
    for (uint32_t i = 0; i < e->fields->count; i++) {
        struct access a = {.address = e->at + e->fields->field[i].offset,
                           .pc = e->fields->field[i].pc + 1,
                           .size = e->fields->field[i].size,
                           .kind = (uint8_t)e->kind};
        if (e->count == 1)
            history_add(t, &a);
        else
            history_add_run(t, &a, (uint32_t)e->count, (int32_t)e->stride);
    }
}

static void remember(struct thread *t, const struct elements *e)
{
    if (e->fields != NULL) {
        remember_fields(t, e);
        return;
    }
    struct access a = {.address = e->at, .pc = e->pc, .size = (uint32_t)e->unit, .kind = (uint8_t)e->kind};
    bool text = e->unit != e->size;
    history_add_run(t, &a, (uint32_t)(text ? e->count * e->size / e->unit : e->count),
                    (int32_t)(text ? (ptrdiff_t)e->unit : e->stride));
}

static void check_fields(struct thread *t, const struct elements *e)
{
    for (uint32_t i = 0; i < e->fields->count; i++) {
        struct race_access_live a = {.address = e->at + e->fields->field[i].offset,
                                     .pc = e->fields->field[i].pc + 1,
                                     .size = e->fields->field[i].size,
                                     .kind = e->kind};
        struct race_found found;
        shadow_access(a.address, a.size, a.kind, &t->actor, &found);
        access_tell(t, &a, &found);
    }
}

/* One of those that are done races with a free() that came at the same time. */
static void tell_done(struct thread *t, const struct elements *e, const struct race_found *found)
{
    struct race_access_live a = {.address = found->address, .pc = e->pc, .size = e->unit, .kind = e->kind};
    uintptr_t offset = (found->address - e->at) % (uintptr_t)e->stride;
    for (uint32_t i = 0; e->fields != NULL && i < e->fields->count; i++)
        if (offset - e->fields->field[i].offset < e->fields->field[i].size) {
            a.pc = e->fields->field[i].pc + 1;
            a.size = e->fields->field[i].size;
        }
    access_tell(t, &a, found);
}

/* May some bytes of a word race, and others not? Then each is an access of its own. */
static bool bytes_may_race(const uint64_t *word, const struct thread *t)
{
    uint64_t seen = load_acquire(word);
    bool ordered = word_paged(seen);
    for (unsigned i = 0; ordered && i < 4; i++) {
        uint64_t cell = load_acquire(&byte_cells(seen)[i]);
        ordered = state_simple(cell) && state_ordered(cell, &t->actor);
    }
    if (word_mixed(seen)) {
        const uint64_t *pair = pair_of(word);
        ordered = mixed_write_follows(load_acquire(pair), load_acquire(pair + 1), &t->actor);
    }
    return word_expanded(seen) && !ordered;
}

/* One that is not of plain words. */
static void check_one(struct thread *t, const struct elements *e)
{
    if (e->fields != NULL) {
        check_fields(t, e);
        return;
    }
    size_t size = bytes_may_race(shadow_of(e->at), t) ? e->unit : e->size;
    for (uintptr_t at = e->at; at < e->at + e->size; at += size) {
        struct race_found found;
        shadow_access(at, size, e->kind, &t->actor, &found);
        for (uintptr_t each = at; each < at + size && unlikely(found.conflict.earlier != 0);
             each += e->unit) {
            if (each != at)
                found.address = each;
            access_tell(
                t, &(struct race_access_live){.address = each, .pc = e->pc, .size = e->unit, .kind = e->kind},
                &found);
        }
    }
}

/* Not for too long at a time: somebody may want to stop the world. `first`: none is remembered yet; the epoch
 * is known only inside. */
static void check_some(struct thread *t, struct elements *e, bool first)
{
    enum { TIMES = 16, AT_ONCE = 1024 };
    t->inside++;
    world_enter(t);
    if (first)
        remember(t, e);
    for (unsigned i = 0; i < TIMES && e->count > 0; i++) {
        struct race_found found;
        /* In few pieces: where one ends in the middle of a block, the block is broken up (shadow/uniform.h). */
        size_t count = min_size(e->count, (size_t)(TIMES - i) * AT_ONCE);
        size_t done = shadow_elements(e->at, count, e->size, e->stride, e->kind, &t->actor, &found);
        if (unlikely(found.conflict.earlier != 0))
            tell_done(t, e, &found);
        skip(e, done);
        if (done == 0) {
            check_one(t, e);
            skip(e, 1);
        }
    }
    access_end_check(t);
}

static bool are_words(const struct elements *e)
{
    return (e->at | (uintptr_t)e->stride | e->size) % 4 == 0 && e->size != 0;
}

/* A run of the history holds it all. */
static bool fits(const struct elements *e)
{
    return e->count <= UINT32_MAX / 4 && e->stride == (int32_t)e->stride;
}

/* A signal handler between the look at a word and that at the vector which it names may have read something else that has the
 * vector by now: then nothing is known. */
static void check_all(struct thread *t, struct elements *e)
{
    const struct elements all = *e;
    uint32_t handlers = load_acquire(&t->handlers);
    skip_known(e, t->actor.now);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (unlikely(load_relaxed(&t->handlers) != handlers))
        *e = all;
    for (bool first = true; e->count > 0; first = false)
        check_some(t, e, first);
}

/* --- what was checked before: loops in loops go over the same memory, or nearly --- */

/* By where it begins, and by where it ends: the next one has mostly one of the two in common with it. */
static struct checked_range *checked_at(struct thread *t, const struct elements *e, uintptr_t edge)
{
    uintptr_t page = edge >> 12,
              field = e->stride == (ptrdiff_t)e->size ? 0 : edge % (uintptr_t)e->stride / 4;
    return &t->checked[kind_writes(e->kind)][(page ^ page >> 6 ^ field << 3 ^ field) % CHECKED];
}

/* A signal handler may use the same one: it comes before or after. */
static struct checked_range get(struct thread *t, const struct checked_range *at)
{
    t->inside++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    struct checked_range copy = *at;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread_outside(t);
    return copy;
}

static void put(struct thread *t, struct checked_range *at, const struct checked_range *from)
{
    t->inside++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *at = *from;
    thread_outside(t);
}

/* Would one of them be the other's next element, or one of its own? */
static bool fits_together(const struct checked_range *c, const struct elements *e, uint64_t now)
{
    uintptr_t end = e->at + e->count * (uintptr_t)e->stride;
    return c->when == now && c->size == e->size && c->stride == (uint64_t)e->stride && e->at <= c->end &&
           end >= c->first && (e->at - c->first) % c->stride == 0;
}

static struct elements part(const struct elements *e, uintptr_t from, uintptr_t to)
{
    struct elements some = *e;
    some.at = from;
    some.count = to > from ? (to - from) / (uintptr_t)e->stride : 0;
    return some;
}

static void check_words(struct thread *t, struct elements *e)
{
    enum { FEW_BYTES = 64 }; /* as soon checked as looked up */
    if (t->inside != 0 || thread_ignores(t, e->kind))
        return;
    if (e->count * e->size <= FEW_BYTES || e->count == 1 || e->stride <= 0 ||
        e->stride != (int32_t)e->stride) {
        check_all(t, e);
        return;
    }
    uintptr_t end = e->at + e->count * (uintptr_t)e->stride;
    struct checked_range *by_first = checked_at(t, e, e->at), *by_end = checked_at(t, e, end),
                         known = get(t, by_first);
    uint64_t now = checked_now(t);
    if (!fits_together(&known, e, now))
        known = get(t, by_end);
    if (!fits_together(&known, e, now))
        known = (struct checked_range){
            .first = e->at, .end = e->at, .size = (uint32_t)e->size, .stride = (uint32_t)e->stride};
    struct elements before = part(e, e->at, known.first < end ? known.first : end);
    struct elements after = part(e, known.end > e->at ? known.end : e->at, end);
    if (before.count + after.count == 0)
        return;
    if (before.count > 0)
        check_all(t, &before);
    if (after.count > 0)
        check_all(t, &after);
    known.first = e->at < known.first ? e->at : known.first;
    known.end = end > known.end ? end : known.end;
    known.when = now;
    put(t, by_first, &known);
    put(t, by_end, &known);
}

/* Bytes without gaps, or halves of words, of which none is in two: whole words, and what is left at both
 * ends. */
static void check_text(struct thread *t, const struct elements *e)
{
    uintptr_t end = e->at + e->count * e->size, first = (e->at + 3) & ~(uintptr_t)3,
              last = end & ~(uintptr_t)3;
    first = first < end ? first : end;
    last = last > first ? last : first;
    if (e->at < first)
        access_few(e->at, first - e->at, e->kind, e->pc);
    struct elements words = *e;
    words.at = first;
    words.size = 4;
    words.unit = e->size;
    words.stride = 4;
    words.count = (last - first) / 4;
    if (words.count > 0)
        check_words(t, &words);
    if (last < end)
        access_few(last, end - last, e->kind, e->pc);
}

/* More than there are addresses: the loop meets a fault, and how soon nobody knows. Its first access is made. */
static size_t possible(size_t count, ptrdiff_t stride)
{
    size_t distance = stride < 0 ? -(size_t)stride : (size_t)stride;
    return distance != 0 && unlikely(count > (UINT64_C(1) << 47) / distance) ? 1 : count;
}

void access_elements(uintptr_t first, size_t size, ptrdiff_t stride, size_t count, enum access_kind kind,
                     uintptr_t pc)
{
    count = possible(count, stride);
    struct thread *t = likely(thread_self != NULL) ? thread_self : thread_current();
    struct elements e = {
        .at = first, .size = size, .unit = size, .count = count, .stride = stride, .kind = kind, .pc = pc};
    count(LOOPS);
    count_many(ACCESSES, count);
    count_many(IN_LOOPS, count);
    if (single_threaded_access(t))
        return;
    if (fits(&e) && are_words(&e)) {
        check_words(t, &e);
    } else if (stride == (ptrdiff_t)size && (size == 1 || size == 2) && first % size == 0 && fits(&e)) {
        check_text(t, &e);
    } else {
        for (; e.count > 0; skip(&e, 1))
            access_few(e.at, e.size, e.kind, e.pc);
    }
}

/* Elements of fields. Those that are not whole words are left to the ways of single accesses. */
static void check_groups(uintptr_t first, ptrdiff_t stride, size_t count, const struct fields *fields,
                         enum access_kind kind)
{
    struct thread *t = likely(thread_self != NULL) ? thread_self : thread_current();
    struct elements e = {
        .at = first, .size = fields->size, .count = count, .stride = stride, .kind = kind, .fields = fields};
    count(LOOPS);
    count_many(ACCESSES, count * fields->count);
    count_many(IN_LOOPS, count * fields->count);
    if (single_threaded_access(t))
        return;
    if (fits(&e) && are_words(&e)) {
        check_words(t, &e);
        return;
    }
    for (; e.count > 0; skip(&e, 1))
        for (uint32_t i = 0; i < fields->count; i++)
            access_few(e.at + fields->field[i].offset, fields->field[i].size, kind, fields->field[i].pc + 1);
}

#define ENTRY     __attribute__((visibility("default")))
#define CALLER_PC ((uintptr_t)__builtin_return_address(0))

ENTRY void __pf_reads(uintptr_t first, size_t size, ptrdiff_t stride, size_t count);
ENTRY void __pf_reads(uintptr_t first, size_t size, ptrdiff_t stride, size_t count)
{
    access_elements(first, size, stride, count, PLAIN_READ, CALLER_PC);
}

ENTRY void __pf_writes(uintptr_t first, size_t size, ptrdiff_t stride, size_t count);
ENTRY void __pf_writes(uintptr_t first, size_t size, ptrdiff_t stride, size_t count)
{
    access_elements(first, size, stride, count, PLAIN_WRITE, CALLER_PC);
}

/* Both return false. */
ENTRY bool __pf_read_groups(uintptr_t first, ptrdiff_t stride, size_t count, const struct fields *fields);
ENTRY bool __pf_read_groups(uintptr_t first, ptrdiff_t stride, size_t count, const struct fields *fields)
{
    check_groups(first, stride, count, fields, PLAIN_READ);
    return false;
}

ENTRY bool __pf_write_groups(uintptr_t first, ptrdiff_t stride, size_t count, const struct fields *fields);
ENTRY bool __pf_write_groups(uintptr_t first, ptrdiff_t stride, size_t count, const struct fields *fields)
{
    check_groups(first, stride, count, fields, PLAIN_WRITE);
    return false;
}
