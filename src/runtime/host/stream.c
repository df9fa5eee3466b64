#include "runtime/host/stream.h"

#include "runtime/annotations.h"
#include "runtime/host/events.h"
#include "runtime/host/recorder.h"
#include "runtime/stack.h"

uint64_t stream_clears;

/* --- clearings, for the filters of all threads --- */

/* Written under the host's lock, read by anybody: an entry is good if it is not older than CLEARINGS. */
static struct {
    uintptr_t from, to;
    uint64_t record;
} clearing[CLEARINGS];

void stream_cleared(uintptr_t address, size_t size)
{
    uint64_t number = stream_clears + 1;
    __typeof__(clearing[0]) *c = &clearing[number % CLEARINGS];
    store_relaxed(&c->from, address);
    store_relaxed(&c->to, address + size);
    store_relaxed(&c->record, recorder_latest());
    store_release(&stream_clears, number);
    hints_cleared(address, size);
}

/* What the filter knows is past. By the thread itself, or before it begins. */
static void end_epoch(struct stream *s)
{
    const uint64_t mask = (UINT64_C(1) << ENTRY_EPOCH_BITS) - 1;
    s->epoch++;
    s->epoch_in_entry = (s->epoch & mask) << ENTRY_EPOCH_SHIFT;
    s->forgotten = load_acquire(&stream_clears);
    if (unlikely(s->epoch_in_entry == 0))
        __builtin_memset(s->filter, 0, (s->filter_mask + 1) * sizeof *s->filter);
}

static void forget_words(struct stream *s, uintptr_t from, uintptr_t to)
{
    for (uint64_t word = from / 8; word < (to + 7) / 8; word++) {
        uint64_t *e = filter_of(s, word);
        if (*e >> ENTRY_WORD_SHIFT == word >> WORD_SHIFT)
            *e = 0;
    }
}

/* What is recorded from now on comes after them. */
static void see_clearings(struct stream *s)
{
    uint64_t latest = load_acquire(&stream_clears);
    uint64_t record = load_relaxed(&clearing[latest % CLEARINGS].record);
    s->seen = max_u64(s->seen, record); /* or that of a later one, which has been seen as well */
    s->clears = latest;
}

hot_inline void see_any_clearings(struct stream *s)
{
    if (unlikely(load_acquire(&stream_clears) != s->clears))
        see_clearings(s);
}

/* The filter forgets what was cleared. What others clear, an access of this thread was not ordered with, or it has
 * synchronized since. */
static cold_path void forget_cleared(struct stream *s)
{
    enum { MANY = 1024 }; /* bytes */
    uint64_t latest = load_acquire(&stream_clears);
    bool all = latest - s->forgotten >= CLEARINGS;
    for (uint64_t i = s->forgotten + 1; i <= latest && !all; i++) {
        uintptr_t from = load_relaxed(&clearing[i % CLEARINGS].from),
                  to = load_relaxed(&clearing[i % CLEARINGS].to);
        all = to - from > MANY;
        if (!all)
            forget_words(s, from, to);
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    bool released = load_relaxed(&s->released);
    store_relaxed(&s->released, false);
    if (released)
        hints_end(s->of, &s->hints);
    if (all || released ||
        load_relaxed(&stream_clears) - s->forgotten >= CLEARINGS) /* overwritten meanwhile */
        end_epoch(s);
    else
        s->forgotten = latest;
}

/* --- the filter --- */

static bool group_part(uintptr_t *at, uintptr_t end, size_t *size)
{
    *size = min_size(8 - *at % 8, end - *at);
    return *at < end;
}

/* What it says of the word. */
static uint64_t filter_at(const struct stream *s, uint64_t word)
{
    return filter_now(s, word, *filter_of(s, word));
}

static bool seems_to_know(const struct stream *s, uintptr_t address, size_t size, enum access_kind kind)
{
    uintptr_t end = address + size;
    for (size_t part; group_part(&address, end, &part); address += part)
        if ((filter_bytes(address, part) & ~filter_known(filter_at(s, address / 8), kind)) != 0)
            return false;
    return true;
}

static bool knows_all(struct stream *s, uintptr_t address, size_t size, enum access_kind kind)
{
    if (!seems_to_know(s, address, size, kind))
        return false;
    if (likely(load_acquire(&stream_clears) == s->forgotten))
        return true;
    forget_cleared(s);
    return seems_to_know(s, address, size, kind);
}

/* --- as large as it is good for --- */

static void grow_filter(struct stream *s)
{
    uint64_t entries = (s->filter_mask + 1) * FILTER_GROWS;
    if (s->filter_mask + 1 > FILTER) /* the first one is part of the stream */
        arena_pages_free(s->filter, (s->filter_mask + 1) * sizeof *s->filter);
    s->filter = arena_pages(entries * sizeof *s->filter);
    if (entries == FILTER_MOST) /* all of it will be used */
        sys_call3(SYS_madvise, (long)s->filter, (long)(entries * sizeof *s->filter), MADV_HUGEPAGE);
    s->filter_mask = entries - 1;
}

static cold_path void sample(struct stream *s, uint64_t word, uint64_t bytes)
{
    struct sample_entry *e = &s->sample.entry[word * UINT64_C(0x9e3779b97f4a7c15) >> 40 & (SAMPLE_TABLE - 1)];
    bool same = e->word >> 16 == word && e->epoch == s->epoch;
    s->sample.repeated += same && (bytes & ~e->word & 0xffff) == 0;
    *e = (struct sample_entry){.word = (same ? e->word : word << 16) | bytes, .epoch = s->epoch};
    if (++s->sample.made < SAMPLES)
        return;
    unsigned enough =
        s->filter_mask + 1 == FILTER ? SAMPLES / 8 : SAMPLES / 2; /* the second one is still small */
    if (s->sample.repeated > enough)
        grow_filter(s);
    s->sample.made = s->sample.repeated = 0;
}

static void note_all(struct stream *s, uintptr_t address, size_t size, enum access_kind kind)
{
    uintptr_t end = address + size;
    for (size_t part; group_part(&address, end, &part); address += part) {
        uint64_t word = address / 8, bytes = filter_bits(address, part, kind);
        if (filter_samples(filter_of(s, word)) && !recorder_repeats) {
            hint_habits(&s->hints, kind);
            if (s->filter_mask + 1 < FILTER_MOST)
                sample(s, word, bytes);
        }
        *filter_of(s, word) = filter_at(s, word) | bytes;
    }
}

enum { SMALL = 64 }; /* bytes: word by word in the filter */

static bool is_small(const struct race_access_live *a)
{
    return a->size <= SMALL;
}

static __typeof__(((struct stream *)NULL)->recent[0][0]) *recent_of(struct stream *s,
                                                                    const struct race_access_live *a)
{
    uint64_t hash = (a->address ^ a->size << 20 ^ a->pc << 4) * UINT64_C(0x9e3779b97f4a7c15);
    return &s->recent[a->kind == PLAIN_WRITE][hash >> 58];
}

static bool is_repeated(struct stream *s, const struct race_access_live *a)
{
    if (recorder_repeats)
        return false;
    if (is_small(a))
        return knows_all(s, a->address, a->size, a->kind);
    const __typeof__(s->recent[0][0]) *r = recent_of(s, a);
    return r->address == a->address && r->size == a->size && r->epoch == s->epoch && r->clears == s->clears;
}

/* An atomic read conflicts with nothing that an atomic write does not. */
bool stream_repeats_atomic(struct stream *s, const struct race_access_live *a, uint64_t clears)
{
    if (a->kind < ATOMIC_READ || recorder_repeats)
        return false;
    __typeof__(s->atomic[0]) *r = &s->atomic[(a->address ^ a->address >> 6) % array_length(s->atomic)];
    bool writes = a->kind == ATOMIC_WRITE,
         same = r->address == a->address && r->size == a->size && r->epoch == s->epoch && r->clears == clears;
    if (same && (r->writes || !writes))
        return true;
    *r = (__typeof__(s->atomic[0])){a->address, a->size, s->epoch, clears, writes};
    return false;
}

static void note_made(struct stream *s, const struct race_access_live *a)
{
    if (is_small(a))
        note_all(s, a->address, a->size, a->kind);
    else
        *recent_of(s, a) = (__typeof__(s->recent[0][0])){a->address, a->size, s->epoch, s->clears};
}

/* --- writing --- */

#define BLOCK (UINT64_C(1) << 32) /* in an entry's `where` */

hot_inline uint64_t latest_mark(const struct stream *s)
{
    return max_u64(load_acquire(&s->synced), s->seen);
}

static bool has_block(struct stream *s)
{
    if (pen_has_room(&s->pen, TAPE_MOST_ACCESS))
        return true;
    if (!recorder_on)
        return false;
    uint64_t mark = latest_mark(s);
    switch (blocks_next(&s->pen, mark)) {
    case BLOCKS_GOOD:
        s->block += BLOCK;
        s->marked = mark;
        s->previous = s->entry[0].follower = s->entry;
        s->entry[0].last = s->range = 0;
        hints_begin(&s->hints);
        return true;
    case BLOCKS_STOPPED:
        recorder_stop();
        return false;
    default:
        return false;
    }
}

static uint8_t *put_special_head(uint8_t *at, enum tape_special which)
{
    uint16_t head = (uint16_t)(TAPE_SPECIAL | (unsigned)which << TAPE_ENTRY_SHIFT);
    __builtin_memcpy(at, &head, sizeof head);
    return at + sizeof head;
}

static uint8_t *put_short_head(uint8_t *at, enum tape_short which)
{
    *at = (uint8_t)(TAPE_SPECIAL | TAPE_FOLLOWS | (unsigned)which << TAPE_ENTRY_SHIFT);
    return at + 1;
}

hot_inline uint8_t *put_head(struct stream *s, uint8_t *at, struct stream_entry *e, enum tape_form form)
{
    unsigned follows = s->previous->follower == e, entry = (unsigned)(e - s->entry);
    unsigned told = follows ? TAPE_FOLLOWS : entry << TAPE_ENTRY_SHIFT;
    uint16_t head = (uint16_t)((unsigned)form | told);
    s->previous->follower = e;
    __builtin_memcpy(at, &head, sizeof head);
    return at + 2 - follows;
}

hot_inline uint8_t *put_number(uint8_t *at, uint64_t number, size_t bytes)
{
    __builtin_memcpy(at, &number, sizeof number); /* there is room */
    return at + bytes;
}

hot_inline uint8_t *put_mark(struct stream *s, uint8_t *at)
{
    uint64_t mark = latest_mark(s);
    uint64_t more = mark - s->marked;
    if (likely(more == 0))
        return at;
    if (more <= TAPE_MOST_SHORT_MARK)
        *at++ = (uint8_t)(TAPE_SPECIAL | TAPE_FOLLOWS | more << TAPE_ENTRY_SHIFT);
    else
        at = pen_varint(put_special_head(at, TAPE_MARK), more);
    s->marked = mark;
    return at;
}

static cold_path void find_site(struct stream *s, struct stream_entry *e, uint64_t place, uint32_t node)
{
    e->site = recorder_site((uintptr_t)(place & 0xffffffffffff), node, (unsigned)(place >> 48));
    e->place = place;
    e->where = (s->block - BLOCK) | node;
}

hot_inline bool is_of(const struct stream_entry *e, uint64_t place, uint32_t node)
{
    return e->place == place && (uint32_t)e->where == node;
}

/* Does the reader know it? */
hot_inline bool is_current(const struct stream *s, const struct stream_entry *e)
{
    return (e->where ^ s->block) < BLOCK;
}

hot_inline struct stream_entry *first_entry(struct stream *s, uint64_t place, uint32_t node)
{
    uint64_t hash = (place ^ (uint64_t)node << 24) * UINT64_C(0x9e3779b97f4a7c15);
    return &s->entry[hash >> (64 - TAPE_ENTRY_BITS)];
}

hot_inline struct stream_entry *beside(struct stream *s, struct stream_entry *e)
{
    return &s->entry[(e - s->entry) ^ 1];
}

/* The one that it should have, or the one beside. */
static struct stream_entry *entry_of(struct stream *s, uint64_t place, uint32_t node)
{
    struct stream_entry *e = first_entry(s, place, node), *other = beside(s, e);
    if (is_of(e, place, node))
        return e;
    if (is_of(other, place, node))
        return other;
    if (is_current(s, e) && !is_current(s, other))
        e = other;
    find_site(s, e, place, node);
    return e;
}

hot_inline int64_t offset_of(const struct stream_entry *e)
{
    return tape_fits((int64_t)(e->last - e->before));
}

hot_inline uint8_t *put_step(struct stream *s, uint8_t *at, struct stream_entry *e, uintptr_t address)
{
    int64_t step = (int64_t)(address - e->last);
    if (step == e->stride)
        return put_head(s, at, e, TAPE_AGAIN);
    e->stride = tape_fits(step);
    if ((int64_t)(address - s->previous->last) == offset_of(e))
        return put_head(s, at, e, TAPE_WITH);
    unsigned bits = 65 - (unsigned)__builtin_clzll((uint64_t)(step ^ step >> 63) | 1), bytes = (bits + 7) / 8;
    if (bytes <= 3)
        return put_number(put_head(s, at, e, TAPE_AGAIN + bytes), (uint64_t)step, bytes);
    return put_number(put_head(s, at, e, TAPE_BY_6), (uint64_t)step, 6);
}

static uint8_t *put_new(struct stream *s, uint8_t *at, struct stream_entry *e, uintptr_t address)
{
    at = put_number(put_head(s, at, e, TAPE_NEW), e->site, 4);
    e->follower = s->entry;
    e->stride = 0;
    e->where = s->block | (uint32_t)e->where;
    return put_number(at, address, 6);
}

/* The entry as of the record that is being written. */
hot_inline void made_at(struct stream *s, struct stream_entry *e, uintptr_t address)
{
    e->before = s->previous->last;
    e->last = address;
    s->previous = e;
}

static void put_access(struct stream *s, uint64_t place, uint32_t node, uintptr_t address, bool counts)
{
    struct stream_entry *e = entry_of(s, place, node);
    uint8_t *at = put_mark(s, s->pen.at);
    at = is_current(s, e) ? put_step(s, at, e, address) : put_new(s, at, e, address);
    made_at(s, e, address);
    pen_written(&s->pen, at, counts);
}

static void put_special(struct stream *s, uint64_t place, uint32_t node, const struct race_access_live *a,
                        uint64_t stride, uint64_t count)
{
    uint32_t site = entry_of(s, place, node)->site;
    uint8_t *at = put_mark(s, s->pen.at);
    if (count == 1) {
        at = put_short_head(at, TAPE_RANGE);
        at = pen_varint(pen_varint(pen_varint(at, site), pen_distance(&s->range, a->address)), a->size);
    } else {
        at = put_number(put_special_head(at, TAPE_ROW), site, 4);
        at = put_number(put_number(at, a->address, 8), a->size, 8);
        at = put_number(put_number(at, stride, 8), count, 8);
    }
    pen_written(&s->pen, at, count);
}

static void put(struct thread *t, struct stream *s, const struct race_access_live *a, uint64_t stride,
                uint64_t count)
{
    bool sized = count == 1 && a->size <= TAPE_LONGEST;
    struct recorder_place p = recorder_place(t, a);
    uint64_t place = p.pc | (uint64_t)((unsigned)a->kind | (sized ? a->size : 0) << TAPE_SIZE_SHIFT) << 48;
    if (sized)
        put_access(s, place, p.node, a->address, true);
    else
        put_special(s, place, p.node, a, stride, count);
}

/* There is no block for this thread: among what has a place in the whole execution. */
static cold_path void put_on_spine(struct thread *t, struct race_access_live a, uint64_t stride,
                                   uint64_t count)
{
    for (; count > 0 && recorder_on; count--, a.address += stride) {
        events_enter();
        recorder_access(t, &a, false);
        events_leave();
    }
}

bool stream_is_ready(struct stream *s)
{
    see_any_clearings(s);
    return recorder_on && has_block(s);
}

static void put_anywhere(struct thread *t, struct stream *s, const struct race_access_live *a,
                         uint64_t stride, uint64_t count)
{
    if (likely(!annotations_any_benign() && has_block(s)))
        put(t, s, a, stride, count);
    else
        put_on_spine(t, *a, stride, count);
}

void stream_access(struct thread *t, const struct race_access_live *a)
{
    struct stream *s = t->host->stream;
    if (thread_ignores(t, a->kind) || unlikely(!recorder_on || !tape_is_access(a->address, a->size)))
        return;
    stream_enter(t);
    see_any_clearings(s);
    if (a->is_free || !is_repeated(s, a)) { /* a report had better name the free */
        put_anywhere(t, s, a, 0, 1);
        if (!a->is_free)
            note_made(s, a);
    }
    stream_leave(t);
}

/* --- rows --- */

static void put_row(struct thread *t, struct stream *s, const struct row *row, const struct fields *fields,
                    uintptr_t pc)
{
    struct race_access_live a = {.address = row->first, .pc = pc, .size = row->size, .kind = row->kind};
    if (row->count > 0 && fields == NULL)
        put_anywhere(t, s, &a, row->stride, row->count);
    for (uint32_t i = 0; row->count > 0 && fields != NULL && i < fields->count; i++) {
        a.address = row->first + fields->field[i].offset;
        a.size = fields->field[i].size;
        a.pc = fields->field[i].pc + 1;
        put_anywhere(t, s, &a, row->stride, row->count);
    }
}

/* The same elements, from the first address on. */
static struct row upwards(const struct race_access_live *a, ptrdiff_t stride, size_t count)
{
    return (struct row){.first = stride < 0 ? a->address + (count - 1) * (uintptr_t)stride : a->address,
                        .size = a->size,
                        .stride = stride < 0 ? -(uint64_t)stride : max_u64((uint64_t)stride, 1),
                        .count = stride == 0 ? 1 : count,
                        .kind = a->kind};
}

void stream_row(struct thread *t, const struct race_access_live *a, ptrdiff_t stride, size_t count,
                const struct fields *fields)
{
    struct stream *s = t->host->stream;
    if (thread_ignores(t, a->kind) ||
        unlikely(!recorder_on || !tape_is_row(a->address, a->size, stride, count)))
        return;
    stream_enter(t);
    see_any_clearings(s);
    struct row row = upwards(a, stride, count), before = row, after = {0};
    if (likely(!recorder_repeats))
        rows_note(&s->rows, &row, (struct row_time){s->epoch, s->clears}, &before, &after);
    put_row(t, s, &before, fields, a->pc);
    put_row(t, s, &after, fields, a->pc);
    stream_leave(t);
}

bool stream_atomic(struct thread *t, const struct race_access_live *a)
{
    struct stream *s = t->host->stream;
    bool ready =
        likely(stream_is_ready(s) && !annotations_any_benign() && tape_is_access(a->address, a->size));
    if (ready && !stream_repeats_atomic(s, a, s->clears))
        put(t, s, a, 0, 1);
    return ready;
}

/* It has seen all that is on the spine by now. */
void stream_compare(struct thread *t, uintptr_t address, uintptr_t pc)
{
    struct stream *s = t->host->stream;
    const uint64_t how = TAPE_COMPARED | 1 << TAPE_SIZE_SHIFT;
    if (unlikely(annotations_benign(address) || !recorder_on || !tape_is_access(address, 1)))
        return;
    stream_enter(t);
    see_any_clearings(s);
    s->seen = max_u64(s->seen, recorder_latest());
    if (likely(has_block(s))) {
        put_access(s, pc | how << 48, stack_node(t), address, false);
    } else {
        events_enter();
        recorder_compare(t, address, pc);
        events_leave();
    }
    stream_leave(t);
}

/* --- small accesses --- */

static cold_path void small_slowly(struct thread *t, uintptr_t address, uint64_t how, uintptr_t pc)
{
    size_t size = how >> TAPE_SIZE_SHIFT;
    stream_leave_last(t);
    stream_access(
        t, &(struct race_access_live){.address = address, .pc = pc, .size = size, .kind = how & TAPE_HOW});
}

/* Is anything to be done that seldom is? */
hot_inline bool is_unusual(const struct stream *s, uintptr_t address, const uint64_t *entry)
{
    return unlikely(load_acquire(&stream_clears) != s->clears || !tape_is_access(address, 0) ||
                    annotations_any_benign() || !pen_has_room(&s->pen, TAPE_MOST_ACCESS) ||
                    filter_samples(entry));
}

/* Is it the place's, and does the reader know it? A frame without a node may still get one. */
hot_inline bool is_known(const struct stream *s, const struct stream_entry *e, uint64_t place, uint32_t node)
{
    return e->place == place && e->where == (s->block | node) && likely(node != 0);
}

/* The access was recorded, and all clearings had been seen. */
static __attribute__((noinline)) void hint_early(struct stream *s, uintptr_t address, uint64_t how)
{
    unsigned bytes = filter_bytes(address, how >> TAPE_SIZE_SHIFT);
    if (likely(hint_words(bytes) == bytes))
        hint_give(s->of, &s->hints, address, bytes, how & TAPE_HOW, s->clears);
    else
        stream_leave_last(s->of);
}

hot_inline void leave_with_hint(struct stream *s, uintptr_t address, uint64_t how)
{
    if (unlikely(s->hints.early[how]))
        hint_early(s, address, how);
    else
        stream_leave_last(s->of);
}

static __attribute__((noinline)) void put_other(struct stream *s, uintptr_t address, uint64_t how,
                                                uintptr_t pc, uint64_t *entry, uint64_t noted)
{
    uint64_t place = pc | (uint64_t)how << 48;
    uint32_t node = s->of->top->node;
    struct stream_entry *e = first_entry(s, place, node);
    if (unlikely(!is_known(s, e, place, node)))
        e = beside(s, e);
    if (unlikely(!is_known(s, e, place, node)) || is_unusual(s, address, entry)) {
        small_slowly(s->of, address, how, pc);
        return;
    }
    uint8_t *at = put_step(s, put_mark(s, s->pen.at), e, address);
    made_at(s, e, address);
    pen_written(&s->pen, at, 1);
    *entry = noted;
    leave_with_hint(s, address, how);
}

/* All that it needs are the registers that a function may use; what needs more is called at its end. */
void stream_small(struct stream *s, uintptr_t address, uint64_t how, uintptr_t pc, uint64_t *entry,
                  uint64_t noted)
{
    struct stream_entry *e = s->previous->follower;
    if (!is_known(s, e, pc | (uint64_t)how << 48, s->of->top->node) ||
        address - e->last != (uint64_t)e->stride || latest_mark(s) != s->marked ||
        is_unusual(s, address, entry)) {
        put_other(s, address, how, pc, entry, noted);
        return;
    }
    uint8_t *at = s->pen.at;
    made_at(s, e, address);
    *entry = noted;
    *at = TAPE_AGAIN | TAPE_FOLLOWS;
    pen_written(&s->pen, at + 1, 1);
    leave_with_hint(s, address, how);
}

hot_inline uint32_t site_by(struct stream *s, uintptr_t pc, uint32_t node, __typeof__(&recorder_site) number)
{
    __typeof__(s->site[0]) *known = &s->site[(pc ^ pc >> 5 ^ node) % array_length(s->site)];
    if (unlikely(known->pc != pc || known->node != node))
        *known = (__typeof__(*known)){pc, node, number(pc, node, 0)};
    return known->site;
}

uint32_t stream_site_locked(struct stream *s, uintptr_t pc, uint32_t node)
{
    return site_by(s, pc, node, recorder_site_locked);
}

uint32_t stream_site(struct stream *s, uintptr_t pc, uint32_t node)
{
    return site_by(s, pc, node, recorder_site);
}

/* --- atomic variables --- */

static __typeof__(((struct stream *)NULL)->learned[0]) *learned_of(struct stream *s, uintptr_t variable)
{
    return &s->learned[variable * UINT64_C(0x9e3779b97f4a7c15) >> 59];
}

bool stream_has_learned(struct stream *s, uintptr_t variable, uint64_t news)
{
    const __typeof__(s->learned[0]) *l = learned_of(s, variable);
    return l->variable == variable && l->news == news;
}

void stream_learned(struct stream *s, uintptr_t variable, uint64_t news)
{
    *learned_of(s, variable) = (__typeof__(s->learned[0])){variable, news};
}

/* --- locks --- */

void stream_take(struct stream *s, uint32_t lock, uint32_t site, uint64_t turn, uint64_t since)
{
    s->seen = max_u64(s->seen, max_u64(s->accessed, since));
    s->taken = lock;
    uint8_t *at = put_short_head(put_mark(s, s->pen.at), turn == 0 ? TAPE_TAKE_AGAIN : TAPE_TAKE_TURN);
    at = pen_varint(pen_varint(at, lock - 1), site);
    pen_written(&s->pen, turn == 0 ? at : pen_varint(at, turn), 1);
    store_release(&s->turns, s->turns + 1);
}

void stream_give(struct stream *s, uint32_t lock)
{
    s->seen = max_u64(s->seen, s->accessed);
    uint8_t *at = put_mark(s, s->pen.at);
    if (likely(s->taken == lock))
        at = put_short_head(at, TAPE_GIVE_TAKEN);
    else
        at = pen_varint(put_special_head(at, TAPE_GIVE_LOCK), lock - 1);
    pen_written(&s->pen, at, 0);
    store_release(&s->turns, s->turns + 1);
    end_epoch(s);
    hints_end(s->of, &s->hints);
}

void stream_put(struct thread *t, struct stream *s, const struct race_access_live *a)
{
    put(t, s, a, 0, 1);
}

/* --- streams --- */

static struct stream *free_streams;

/* For this thread, on this tape. */
static void begin(struct stream *s, struct thread *t)
{
    if (s->tape != recorder_tape) {
        __builtin_memset(s->entry, 0, sizeof s->entry);
        __builtin_memset(s->site, 0, sizeof s->site);
    }
    s->tape = recorder_tape;
    s->of = t;
    s->pen = (struct tape_pen){.stream = TAPE_ACCESSES, .thread = t->id};
    s->previous = s->entry[0].follower = s->entry;
    s->seen = s->accessed = 0;
    s->taken = 0;
    __builtin_memset(s->learned, 0, sizeof s->learned);
    s->turns = s->turns_told = 0;
    s->released = false;
    s->clears = stream_clears;
    stream_synced(s, true);
}

static struct stream *made(void)
{
    enum { PAGE = 4096 };
    size_t filter = FILTER * sizeof(uint64_t), size = (sizeof(struct stream) + PAGE - 1) & -(size_t)PAGE;
    char *memory = arena_pages(size + filter);
    struct stream *s = (struct stream *)memory;
    s->filter = (uint64_t *)(memory + size);
    s->filter_mask = FILTER - 1;
    return s;
}

struct stream *stream_new(struct thread *t)
{
    struct stream *s = free_streams;
    if (s != NULL)
        free_streams = s->next_free;
    else
        s = made();
    s->hints.running = NULL;
    begin(s, t);
    return s;
}

void stream_again(struct stream *s)
{
    begin(s, s->of);
}

void stream_end(struct stream *s)
{
    blocks_hand_over(&s->pen);
    s->next_free = free_streams;
    free_streams = s;
}

void stream_synced(struct stream *s, bool releases)
{
    store_release(&s->synced, recorder_latest());
    if (!releases)
        return;
    end_epoch(s);
    hints_end(s->of, &s->hints);
}

void stream_synced_by_other(struct stream *s, bool releases)
{
    store_release(&s->synced, recorder_latest());
    if (!releases)
        return;
    store_relaxed(&s->released, true);
    stream_cleared(0, 0); /* the filter is not believed */
    hints_end_of_other(&s->hints);
}
