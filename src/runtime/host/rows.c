#include "runtime/host/rows.h"

/* Rows that begin, or end, in the same page are mostly in different fields of the elements. */
static struct known_row *known_at(struct rows *rows, const struct row *row, uintptr_t edge)
{
    uint64_t field = row->stride == row->size ? 0 : edge % row->stride;
    uint64_t hash = (edge >> 12 ^ field << 40 ^ row->size << 52) * UINT64_C(0x9e3779b97f4a7c15);
    return &rows->known[row->kind == PLAIN_WRITE][(hash >> 58) % ROWS];
}

/* Would one of them be the other's next element, or one of its own? */
static bool fits(const struct known_row *k, const struct row *row, uintptr_t end, struct row_time now)
{
    return k->when.epoch == now.epoch && k->when.clears == now.clears && k->size == row->size &&
           k->stride == row->stride && row->first <= k->end && end >= k->first &&
           (row->first - k->first) % row->stride == 0;
}

static struct row part(const struct row *row, uintptr_t from, uintptr_t to)
{
    struct row some = *row;
    some.first = from;
    some.count = to > from ? (to - from) / row->stride : 0;
    return some;
}

void rows_note(struct rows *rows, const struct row *row, struct row_time now, struct row *before,
               struct row *after)
{
    uintptr_t end = row->first + row->count * row->stride;
    struct known_row *by_first = known_at(rows, row, row->first), *by_end = known_at(rows, row, end);
    struct known_row known = fits(by_first, row, end, now) ? *by_first : *by_end;
    if (!fits(&known, row, end, now))
        known = (struct known_row){row->first, row->first, row->size, row->stride, now};
    *before = part(row, row->first, known.first < end ? known.first : end);
    *after = part(row, known.end > row->first ? known.end : row->first, end);
    known.first = row->first < known.first ? row->first : known.first;
    known.end = end > known.end ? end : known.end;
    *by_first = *by_end = known;
}
