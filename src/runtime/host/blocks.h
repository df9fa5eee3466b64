/* The memory that the program shares with `photofinish record`, and its blocks (trace/tape.h). */
#pragma once

#include "runtime/thread.h"
#include "trace/tape.h"

/* Where a stream is being written. All zero: nowhere yet. */
struct tape_pen {
    uint8_t *at, *end; /* of the block */
    struct tape_head *head;
    uint8_t *begin;
    uint32_t stream, thread;
};

/* The memory of a new tape; false: there is none. */
HIDDEN bool blocks_start(void);
/* In the child of a fork: it is the parent's. */
HIDDEN void blocks_leave(void);

/* The block, if there is one, is full, or its writer has ended. */
HIDDEN void blocks_hand_over(struct tape_pen *pen);

enum blocks_result {
    BLOCKS_GOOD,
    BLOCKS_NONE,   /* all are in use by threads; not for the spine and places */
    BLOCKS_STOPPED /* nothing more is kept */
};

/* The next block. May wait for `photofinish record`, which never waits for us. */
HIDDEN enum blocks_result blocks_next(struct tape_pen *pen, uint64_t first);

hot_inline bool pen_has_room(const struct tape_pen *pen, size_t size)
{
    return likely((size_t)(pen->end - pen->at) >= size);
}

/* A record is there, up to `at`: so many accesses. */
hot_inline void pen_written(struct tape_pen *pen, uint8_t *at, size_t accesses)
{
    uint64_t more = (uint64_t)accesses << 32 | (uint64_t)(at - pen->at);
    pen->at = at;
    store_release(&pen->head->written, pen->head->written + more);
}

/* How far it is from the last one: twice that, or, if it is negative, -2 times that less 1. */
hot_inline uint64_t pen_distance(uint64_t *last, uint64_t address)
{
    int64_t distance = (int64_t)(address - *last);
    *last = address;
    return (uint64_t)distance << 1 ^ (uint64_t)(distance >> 63);
}

/* At most 10 bytes. */
hot_inline uint8_t *pen_varint(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}
