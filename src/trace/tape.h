/* What the recorder inside a program (runtime/host/recorder.c) writes and `photofinish record` reads: a tape.
 *
 * A tape is a sequence of slots of 32 bytes, in windows: memory that both have mapped, used in turn. The
 * writer fills a slot and sets its `op` last; what is zero has not been written. So whatever ends the
 * program, all that it has written is there, up to the slot it was writing.
 *
 *   op        thread    a         b             c
 *   ACCESS    who       address   return pc     size << 32 | node       how: enum access_kind,
 * TAPE_KNOWN_ONLY COMPARE   who       address   return pc     node                    with earlier plain
 * writes of that byte CLEAR               address   size                                  forgotten: nothing
 * later races with it MOVE                from      to            size                    the memory is there
 * now (whole pages) SYNC      who       target                                          how: enum op of a
 * fork, join or lock POST      who       id                                              what it knows now,
 * under a free id LEARN     who       id                                              what was posted DROP id
 * nobody will learn it: the id is free STACK               node      count then so many return addresses,
 * innermost first
 *
 * What an access conflicts with, besides itself by another thread:
 *   a plain write with all, a plain read and an atomic write with each other and plain writes.
 */
#pragma once

#include "base/base.h"

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
    TAPE_STACK
};

struct tape_slot {
    uint8_t op, how;
    uint16_t unused;
    uint32_t thread;
    uint64_t a, b, c;
};
_Static_assert(sizeof(struct tape_slot) == 32, "two a cache line");

/* As enum access_kind of the runtime has them. */
enum tape_how {
    TAPE_READ,
    TAPE_WRITE,
    TAPE_ATOMIC_READ,
    TAPE_ATOMIC_WRITE,
    TAPE_HOW = 3,
    TAPE_KNOWN_ONLY = 4
};

enum {
    TAPE_WINDOW = 1 << 16, /* slots */
    TAPE_WINDOWS = 2,
    TAPE_MOST_FRAMES = 64,
    TAPE_PER_SLOT = sizeof(struct tape_slot) / sizeof(uint64_t)
};
