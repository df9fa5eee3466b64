/* The streams of a tape (trace/tape.h) put together: one sequence of slots that agrees with all that is known
 * of the order of the execution. Accesses come as early as their mark allows: after the record that it names,
 * before the next. */
#pragma once

#include "trace/book.h"
#include "trace/source.h"

struct tape_merge;

/* Where the payload of a block lies. */
struct tape_piece {
    uint64_t offset; /* in the file; or in memory, where the source cannot be read again */
    uint64_t first;
    uint32_t raw, stored;
    bool goes_on; /* where the one before of its stream has ended */
};

struct tape_merge *tape_merge_new(struct source *source, struct book *book);
void tape_merge_free(struct tape_merge *merge);

/* A block of the spine (thread NO_TARGET) or of a thread's accesses, in the order of the file. `payload` is
 * as stored. */
void tape_merge_add(struct tape_merge *merge, uint32_t thread, struct tape_piece piece, const void *payload);

/* Nothing of it is lost: what waits for something that never comes is damage. */
void tape_merge_whole(struct tape_merge *merge);

/* Begins, or begins again. */
void tape_merge_start(struct tape_merge *merge);

enum tape_result { TAPE_GOT, TAPE_OVER, TAPE_BROKEN };

/* BROKEN: a block is not what it should be; there is nothing after it. Ranges come in parts. */
enum tape_result tape_merge_next(struct tape_merge *merge, struct tape_slot *slot);

/* Of a block that is all there: decompressed into `raw`. */
bool tape_unpack(uint8_t *raw, const struct tape_piece *piece, const void *payload);
