/* What the recorder inside a program (runtime/host/recorder.c) writes and `photofinish record` keeps: a tape.
 *
 * A tape is several streams of bytes:
 *
 *   the spine     what has a place in the order of the whole execution: synchronization, clearings of memory,
 *                 atomic accesses that order something. Records, numbered from 1 on in that order
 *   accesses      of each thread its own accesses, in its order, and between them *marks*: "what
 *                 follows comes after record N of the spine". There is one after each synchronization of the
 *                 thread, and after each clearing, by whatever thread, that it has seen. So an access lies
 *                 between the thread's records as it did in the program, and nothing else about its place is
 *                 known, or matters. Also locks that it takes for writing: in which order threads had a lock is
 *                 told by how often it was given up before
 *   places        call stacks and sites, by numbers that the other streams name them by
 *
 * Streams are written in blocks of memory that the program shares with `photofinish record`. Who fills a
 * block says after each record how far it has got: whatever ends the program, all that it has written is
 * there, up to the record it was writing. Each block can be read by itself.
 */
#pragma once

#include "base/base.h"

enum tape_stream { TAPE_SPINE = 1, TAPE_PLACES, TAPE_ACCESSES };

/* --- the shared memory --- */

enum {
    TAPE_BLOCK = 32 << 10, /* bytes */
    TAPE_BLOCKS = 4096,    /* at most; less where files may not be so large */
    TAPE_FEWEST = 32,
    TAPE_RESERVED = 8, /* of them for the spine and places: threads alone can never use up all */
    TAPE_WAKE = 8      /* so many full blocks are worth waking up for */
};

struct tape_head {
    uint64_t written; /* accesses << 32 | bytes */
    uint64_t first;  /* of the spine: number of its first record; of accesses: the mark that it begins with */
    uint32_t stream; /* enum tape_stream; 0: the block is free */
    uint32_t thread;
    uint32_t next; /* free block + 1 */
} __attribute__((aligned(64)));

struct tape_memory {
    uint64_t free
        __attribute__((aligned(64))); /* counts changes << 32 | block + 1; those after it by `next` */
    uint32_t free_count;
    uint32_t stopped;                             /* nothing more is kept */
    uint32_t handed __attribute__((aligned(64))); /* full blocks, ever */
    uint32_t freed __attribute__((aligned(64)));  /* of them, given back */
    uint32_t waiting;                             /* who waits for that */
    uint32_t open[TAPE_PLACES + 1]; /* block + 1 that the spine, and places, are being written to */
    uint32_t full[TAPE_BLOCKS];     /* block + 1, in order, by number % TAPE_BLOCKS */
    struct tape_head head[TAPE_BLOCKS];
    uint8_t block[][TAPE_BLOCK] __attribute__((aligned(4096))); /* as many as there is room for */
};

/* --- records of the spine and of places ---
 *
 *   u8 op | how << 4, varints: thread, a, b, c, as many as the op has (tape_fields); a STACK's return
 * addresses, 8 bytes each
 *
 *   op        thread    a         b         c
 *   ACCESS    who       address   site      size      how: enum access_kind, TAPE_KNOWN_ONLY
 *   COMPARE   who       address   site                with earlier plain writes of that byte
 *   CLEAR     -         address   size                forgotten: nothing later races with it
 *   MOVE      -         from      to        size      the memory is there now (whole pages)
 *   SYNC      who       target                        how: enum op of a fork, join or lock
 *   POST      who       id                            what it knows now, under a free id; how 1: after a DROP
 *   LEARN     who       id                            what was posted
 *   DROP      -         id                            nobody will learn it: the id is free
 *   STACK     -         node      count               so many return addresses follow, innermost first
 *   SITE      -         number    pc        what      node << 8 | kind and size (TAPE_SIZE_SHIFT); pc is a
 *                                                     return address
 *   LOCK      -         address   lock                where the lock of this number is
 *   TAKE      who       lock      site                an atomic read of its first byte, then SYNC acq
 *   GIVE      who       lock      id                  SYNC rel, then POST; how as there
 *   GIVE_LAST who                                     GIVE of the lock that the thread took last, under the
 *                                                     id of the GIVE before, which is dropped
 *   TURN      who       lock      times               the lock was given up so often by now; how 1: the thread
 *                                                     itself has so many TAKEs and GIVEs in its stream (a, no
 *                                                     b). It says nothing new, but what has lost them has no
 *                                                     more to say
 *
 * What an access conflicts with, besides itself by another thread:
 *   a plain write with all, a plain read and an atomic write with each other and plain writes.
 */
enum tape_op {
    TAPE_NOTHING,
    TAPE_ACCESS,
    TAPE_COMPARE,
    TAPE_CLEAR,
    TAPE_MOVE,
    TAPE_SYNC,
    TAPE_POST,
    TAPE_LEARN,
    TAPE_DROP,
    TAPE_STACK,
    TAPE_SITE,
    TAPE_LOCK,
    TAPE_TAKE,
    TAPE_GIVE,
    TAPE_GIVE_LAST,
    TAPE_TURN,
    TAPE_OPS
};

static const struct {
    bool thread; /* is there one? */
    bool near; /* is `a` an address? Then it is told by how far it is from the last one in the block, or from
                  0, as a varint: 2 * distance, or, if that is negative, -2 * distance - 1 */
    uint8_t count; /* of a, b, c */
} tape_fields[TAPE_OPS] = {
    [TAPE_ACCESS] = {true, true, 3}, [TAPE_COMPARE] = {true, true, 2},    [TAPE_CLEAR] = {false, true, 2},
    [TAPE_MOVE] = {false, true, 3},  [TAPE_SYNC] = {true, false, 1},      [TAPE_POST] = {true, false, 1},
    [TAPE_LEARN] = {true, false, 1}, [TAPE_DROP] = {false, false, 1},     [TAPE_STACK] = {false, false, 2},
    [TAPE_SITE] = {false, false, 3}, [TAPE_LOCK] = {false, true, 2},      [TAPE_TAKE] = {true, false, 2},
    [TAPE_GIVE] = {true, false, 2},  [TAPE_GIVE_LAST] = {true, false, 0}, [TAPE_TURN] = {true, false, 2},
};

enum { TAPE_ADDRESS_BITS = 48, TAPE_SIZE_BITS = 38 /* of an access */ };

/* Can there be such an access? A program that makes any other one is about to hear of it from the kernel. */
static inline bool tape_is_access(uint64_t address, uint64_t size)
{
    return address >> TAPE_ADDRESS_BITS == 0 && size >> TAPE_SIZE_BITS == 0;
}

/* Of one in a row: are all of them? */
static inline bool tape_is_row(uint64_t address, uint64_t size, int64_t stride, uint64_t count)
{
    int64_t far;
    return count > 0 && tape_is_access(address, size) && !__builtin_mul_overflow(stride, count - 1, &far) &&
           tape_is_access(address + (uint64_t)far, size);
}

/* Any memory, that is cleared or moved. */
static inline bool tape_is_memory(uint64_t address, uint64_t size)
{
    return address >> TAPE_ADDRESS_BITS == 0 && size >> TAPE_ADDRESS_BITS == 0;
}

/* As enum access_kind of the runtime has them. */
enum tape_how {
    TAPE_READ,
    TAPE_WRITE,
    TAPE_ATOMIC_READ,
    TAPE_ATOMIC_WRITE,
    TAPE_HOW = 3,
    TAPE_KNOWN_ONLY = 4,
    TAPE_COMPARED = 0x80 /* of a site: of COMPAREs */
};

enum {
    TAPE_MOST_FRAMES = 64,
    TAPE_HOW_SHIFT = 4,
    TAPE_MOST_RECORD = 1 + 4 * 10 + TAPE_MOST_FRAMES * 8 /* bytes */
};

/* A record, decoded; also an access of a stream of accesses. */
struct tape_slot {
    uint8_t op, how;
    uint16_t unused;
    uint32_t thread;
    uint64_t a, b, c;
    const uint8_t *frames; /* of a STACK: its return addresses, not aligned */
};

/* --- streams of accesses ---
 *
 * A record is told by an entry of a table, and a form. Writer and reader keep the table alike; it is empty at
 * the beginning of each block. An entry has a site, the last address that was accessed there, how far it was
 * from the one before (its stride) and from the record before (its offset), and which entry has come after it
 * the last time (at first entry 0).
 *
 *   u8  form | TAPE_FOLLOWS        the entry that came after the last one's the last time, too; at first that
 *                                  is entry 0's. The other 4 bits mean nothing
 *   u16 form | entry << 4          any other, which from now on is the one that comes after the last one's
 *
 *   form            then                          means
 *   AGAIN           -                             an access of the entry's site, a stride after the last one
 *   BY_1 ... BY_3   1 to 3 bytes, signed          so far after the last one: that is the stride now
 *   WITH            -                             as far from the address of the record before, whatever its
 *                                                 entry, as the last one was; the stride is as after BY
 *   BY_6            6 bytes, signed               as BY_1
 *   NEW             u32 site, 6 bytes address     the entry is this site's now; its stride is 0, entry 0
 *                                                 comes after it
 *   SPECIAL         u16, what follows is in the place of the entry
 *     MARK          varint                        what follows comes after so many more records of the
 *                                                 spine than the last mark said, or the block as a whole
 *     ROW           u32 site, u64 address, size, stride (signed), count: the accesses of a loop
 *     GIVE_LOCK     varint lock                   as the spine's GIVE, under the id of the one before
 *   SPECIAL         u8, with TAPE_FOLLOWS; what follows is in the other 4 bits
 *     1 to 12       -                             MARK of so many
 *     RANGE         varints site, distance, size  an access to many bytes; distance: of its address from the
 *                                                 last RANGE's in the block, as tape_fields says
 *     TAKE_AGAIN    varints lock, site            as the spine's TAKE; the thread was the last who gave it up
 *     TAKE_TURN     varints lock, site, turn      as the spine's TAKE, after the lock was given up so many times,
 *                                                 wherever that is told; and what was posted then is learned
 *     GIVE_TAKEN    -                             GIVE_LOCK of the lock that the thread took last
 *
 * The size and kind of an access are the site's, but for the size of RANGE and ROW. A site with
 * TAPE_COMPARED is that of COMPAREs, which come after all that others did before the next record of the
 * spine. Atomic accesses are here if they order nothing.
 */
enum {
    TAPE_ENTRY_BITS = 10,
    TAPE_ENTRIES = 1 << TAPE_ENTRY_BITS,
    TAPE_FORM = 7,
    TAPE_FOLLOWS = 8,
    TAPE_ENTRY_SHIFT = 4,
    TAPE_MOST_SHORT_MARK = 12,
    TAPE_SIZE_SHIFT = 2,       /* of a SITE: kind | size << this; size 0: it is said each time */
    TAPE_SIZE = 31,            /* so much of it */
    TAPE_LONGEST = 16,         /* that a site can say */
    TAPE_MOST_ACCESS = 48 + 12 /* bytes of any record, with a mark before it */
};

enum tape_form { TAPE_AGAIN, TAPE_BY_1, TAPE_BY_2, TAPE_BY_3, TAPE_WITH, TAPE_BY_6, TAPE_NEW, TAPE_SPECIAL };

enum tape_special { TAPE_MARK, TAPE_ROW, TAPE_GIVE_LOCK };

/* But for marks. */
enum tape_short { TAPE_RANGE, TAPE_TAKE_AGAIN = TAPE_MOST_SHORT_MARK + 1, TAPE_TAKE_TURN, TAPE_GIVE_TAKEN };
_Static_assert((int)TAPE_GIVE_TAKEN == 15, "4 bits");

/* Strides and offsets that do not fit count as 0. */
static inline int32_t tape_fits(int64_t distance)
{
    return distance == (int32_t)distance ? (int32_t)distance : 0;
}
