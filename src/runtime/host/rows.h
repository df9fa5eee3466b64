/* Rows that a thread has accessed since its last release: elements of the same size, a stride apart (what the compiler
 * gathers of a loop, src/place/). Loops in loops go over the same elements again, or over nearly the same: what is known of
 * a row is where it begins and ends, by either, and of the next one only what is before and after is told. */
#pragma once

#include "runtime/access.h"

enum { ROWS = 64 };

struct row {
    uintptr_t first;
    size_t size;
    uint64_t stride; /* > 0 */
    uint64_t count;
    enum access_kind kind;
};

/* As of when: of the stream. */
struct row_time {
    uint64_t epoch, clears;
};

struct rows {
    struct known_row {
        uintptr_t first, end; /* where the next element would be */
        uint64_t size, stride;
        struct row_time when;
    } known[2][ROWS]; /* reads; writes */
};

/* What is not known of the row: `before` and `after` what is, of which either may have no element. All of it is known then. */
HIDDEN void rows_note(struct rows *rows, const struct row *row, struct row_time now, struct row *before,
                      struct row *after);
