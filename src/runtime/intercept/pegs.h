/* Pegs: what order between threads hangs on when it goes through the kernel, and there is no address in the
 * program's memory to hang it on: a pipe, a port, a signal.
 *
 * A peg is a place of 4 bytes that nobody reads or writes; the sync object of that address (runtime/sync.h)
 * is the clock of what went into the kernel there. Pegs come in classes. Within one, a thing finds its peg by
 * its number, modulo how many there are: nothing is allocated, locked, or given back, and two things that
 * share a peg, at the same time or one after the other, are ordered too much, never too little. Neighbouring
 * numbers (inodes and ports are given out in order) do not meet.
 */
#pragma once

#include "runtime/intercept/caller.h"

enum peg_class {
    PEG_INODE,    /* a pipe, a file, an end of a socket, by its inode */
    PEG_MADE,     /* what has no inode of its own: eventfd, epoll ...; numbered as they come */
    PEG_TO,       /* towards whoever has the address: a port, or the name of a socket */
    PEG_FROM,     /* ... and from him */
    PEG_STREAM,   /* a connection between two ports */
    PEG_NAMED_UP, /* a connection between two named sockets, in one direction */
    PEG_NAMED_DOWN,
    PEG_WATCH, /* a registration with epoll; numbered as they come */
    PEG_QUEUE, /* System V message queues and semaphores */
    PEG_REQUEST, /* to a thread of the C library's own: a request with a function to call; numbered as they come */
    PEG_NUMBER, /* the number of a descriptor, from who closes it to who is given it next */
    PEG_SINGLE,
    PEG_CLASSES
};
enum { PEG_BITS = 14 }; /* of a number */

/* Those of PEG_SINGLE. */
enum {
    PEG_EVERYTHING = 1, /* io_sync=2 */
    PEG_TERMINALS,
    PEG_UNIX_TO, /* connect() to accept() where the name can be spelled in several ways */
    PEG_UNIX_FROM,
    PEG_ANY_SIGNAL,
    PEG_TIMERS,
    PEG_LOCK_FILES,
    PEG_FAMILY = 64, /* + the address family of sockets of which we know no more */
    PEG_SIGNAL = 256 /* + its number */
};

/* 0 is no peg: nothing happens with it. */
hot_inline uint32_t peg(enum peg_class class, uint64_t number)
{
    return 1 + ((uint32_t) class << PEG_BITS | (uint32_t)(number & ((1u << PEG_BITS) - 1)));
}

/* Several may release without having acquired. */
HIDDEN void peg_acquire(struct thread *t, uint32_t peg);
HIDDEN void peg_release(struct thread *t, uint32_t peg);

/* The same at a place of the caller's, in memory that nobody reads or writes. */
HIDDEN void kernel_acquire(struct thread *t, uintptr_t place);
HIDDEN void kernel_release(struct thread *t, uintptr_t place);
