/* File descriptors: what goes into one happens before what comes out of the other end.
 *
 * Each descriptor has up to three pegs: what it takes in, what it gives out, and one where both meet:
 * whatever is sent through a socket and whatever comes back through it later may be request and answer,
 * though whoever answers is not in this process. Which pegs they are follows from what the kernel says of the
 * descriptor (fd_ends.c), so that it does not matter who opened it; they are looked up when it is first used,
 * and kept until its number means something else.
 *
 * A release comes before the real call, an acquire after it: whoever gets the data finds the release. (What
 * is released and then not sent, because the pipe was full, may hide a race, never invent one.)
 *
 * All functions take any number as a descriptor, leave errno alone, and do nothing with io_sync=0.
 */
#pragma once

#include "runtime/intercept/pegs.h"

struct sockaddr;

struct fd_ends {
    uint32_t in;   /* acquired when something is read */
    uint32_t out;  /* released when something is written */
    uint32_t self; /* both */
};

/* Something has come out: data, an end of file, an event. */
HIDDEN void fd_acquire(struct thread *t, int fd);
/* Something is about to go in. */
HIDDEN void fd_release(struct thread *t, int fd);
/* ... to this address, unless it is NULL; `name` is readable. */
HIDDEN void fd_release_to(struct thread *t, int fd, const struct sockaddr *name, size_t size);

/* The kernel is about to move something from one descriptor into another, perhaps when it has waited for it:
 * from now on whoever takes it out there also learns what was put in here. */
HIDDEN void fd_feeds(struct thread *t, int from, int to);

/* connect() to this address is about to be called, and has succeeded; listen() is about to be called. */
HIDDEN void fd_connecting(struct thread *t, const struct sockaddr *name, size_t size);
HIDDEN void fd_connected(struct thread *t, const struct sockaddr *name, size_t size);
HIDDEN void fd_listening(struct thread *t, int fd);

/* A file was made that must not have been there before; one is about to be removed: that is a lock, too. */
HIDDEN void fd_locked_by_file(struct thread *t);
HIDDEN void fd_unlocking_by_file(struct thread *t);

/* --- numbers and what they mean --- */

HIDDEN void fd_is_new(int fd);              /* it means something else than before */
HIDDEN void fd_is_made(int fd);             /* ... something without an inode of its own */
HIDDEN void fd_gives(int fd, uint32_t peg); /* ... something that only gives out, and what comes from there */
HIDDEN void fd_is_copy(int fd, int of);     /* ... the same as another */
HIDDEN void fd_are_pair(const int fd[2]);   /* ... two ends of a socketpair() */
HIDDEN void fd_closing(struct thread *t, int fd);
HIDDEN void fd_closing_all(struct thread *t, unsigned first, unsigned last, uintptr_t pc);
/* By a bare system call. */
HIDDEN void fd_closing_bare(struct thread *t, unsigned first, unsigned last);

/* The child of a vfork() has the parent's memory, but descriptors of its own: what they are is nobody's business. */
HIDDEN bool fd_is_guest(const struct thread *t);

/* --- who uses a descriptor that another thread closes (fd_race.c) --- */

/* Before the call: the descriptor is used; closed; replaced by dup2(), if it is open. After the call: opened. */
HIDDEN void fd_use(int fd, uintptr_t pc);
HIDDEN void fd_close(struct thread *t, int fd, uintptr_t pc);
/* It is not checked any more, until somebody opens it again. One that was seen to be closed is left as it is. */
HIDDEN void fd_forget(int fd);
HIDDEN bool fd_replacing(int fd, uintptr_t pc);
HIDDEN void fd_opened(struct thread *t, int fd, uintptr_t pc);
HIDDEN void fd_replaced(int fd); /* after dup2() onto a descriptor that was open */

/* --- order --- */

/* The peg that stands for this one, as io_sync has it. */
HIDDEN uint32_t fd_as_asked(uint32_t peg);

/* The pegs of a descriptor, all 0 if it is none. */
HIDDEN struct fd_ends fd_ends(int fd);

/* False for standard input, output and error as the process got them: their other ends are elsewhere. */
HIDDEN bool fd_may_be_ours(int fd);

/* --- epoll: what is watched (epoll.c) --- */

HIDDEN void epoll_forget(struct thread *t, int fd);

/* --- what the kernel says (fd_ends.c) --- */

/* Asks it. *changes: the answer may be another one at the next use, without a sign. The descriptor of
 * something without an inode of its own gets 0 everywhere and *anonymous. */
HIDDEN struct fd_ends fd_ask(int fd, bool *changes, bool *anonymous);
/* The peg towards whoever has this address: for single messages. */
HIDDEN uint32_t fd_towards(const struct sockaddr *name, size_t size);
/* ... between those who connect to it and whoever listens: PEG_TO or PEG_FROM him. */
HIDDEN uint32_t fd_listener(const struct sockaddr *name, size_t size, enum peg_class direction);
HIDDEN void fd_pair_known(const int fd[2]);
