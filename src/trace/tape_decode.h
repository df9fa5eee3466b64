/* From the bytes of a tape (trace/tape.h) to slots. The bytes were written by a program with bugs, or come
 * from a file: nothing is delivered that is out of range. */
#pragma once

#include "trace/tape.h"

/* Far more than there can be. */
enum {
    TAPE_MOST_THREADS = 1 << 24,
    TAPE_MOST_POSTS = 1 << 28,
    TAPE_MOST_NODES = 1 << 28,
    TAPE_MOST_SITES = 1 << 28
};

/* Of a block of the spine or of places. */
struct tape_records {
    const uint8_t *at, *end;
    uint64_t last; /* address; at first 0 */
};

/* The next one. False: there is none (at == end), or it is none that a recorder wrote. */
bool tape_decode(struct tape_records *records, struct tape_slot *slot);

/* Is it one that may be gone through? */
bool tape_is_sound(const struct tape_slot *slot);

/* --- accesses --- */

struct tape_cursor {
    const uint8_t *at, *end;
    uint64_t mark;
    uint32_t previous; /* entry */
    uint64_t last;     /* address of the record before that has an entry */
    uint64_t range;    /* that of the last RANGE */
    struct {
        uint32_t site; /* 0: none yet in this block */
        uint32_t follower;
        int32_t stride, offset;
        uint64_t last;
    } entry[TAPE_ENTRIES];
};

enum tape_item {
    TAPE_ITEM_ACCESS,
    TAPE_ITEM_ROW,
    TAPE_ITEM_TAKE,
    TAPE_ITEM_GIVE,
    TAPE_ITEM_MARK,
    TAPE_ITEM_END,
    TAPE_ITEM_BAD
};

/* What is accessed, and where. */
struct tape_touch {
    uint32_t site;
    uint64_t address, size; /* size 0: the site's */
    uint64_t stride, count; /* of a ROW */
    uint64_t lock, turn;    /* of TAKE; turn 0: again. Of GIVE; lock UINT64_MAX: that which was taken last */
};

void tape_cursor_start(struct tape_cursor *cursor, const uint8_t *bytes, size_t size, uint64_t mark);
/* Where it has ended, these bytes come next. */
void tape_cursor_go_on(struct tape_cursor *cursor, const uint8_t *bytes, size_t size);
/* MARK: cursor->mark is the new one. */
enum tape_item tape_cursor_next(struct tape_cursor *cursor, struct tape_touch *touch);
