#include "runtime/intercept/fd.h"

#include <sys/socket.h>

#include "base/arena.h"
#include "runtime/options.h"
#include "runtime/world.h"

/* --- the pegs of each descriptor ---
 *
 * One word each, so that it is always whole: 20 bits for each peg, and one that says they are known. Written
 * by any thread that asks, with the same answer, or with a new one when the number has a new meaning: the
 * program itself has to see to it that nobody uses a descriptor that is being closed. */

enum { PART_BITS = 10, PARTS = 1024, ENDS_BITS = 20 };
#define ENDS_MASK ((1u << ENDS_BITS) - 1)
_Static_assert(((PEG_CLASSES << PEG_BITS) + 1) < (1 << ENDS_BITS), "a peg fits its bits");

static uint64_t *chunk[PARTS];
static struct arena memory;
static int highest = -1; /* of those that were new */
static uint32_t made;    /* how many were made without an inode */
static uint32_t changed; /* bits: which of the first three are not what they were at the start */

static const uint64_t known = UINT64_C(1) << 63;

static uint64_t packed(struct fd_ends e)
{
    return known | (uint64_t)e.self << 2 * ENDS_BITS | (uint64_t)e.out << ENDS_BITS | e.in;
}

static struct fd_ends unpacked(uint64_t word)
{
    return (struct fd_ends){.in = word & ENDS_MASK,
                            .out = word >> ENDS_BITS & ENDS_MASK,
                            .self = word >> 2 * ENDS_BITS & ENDS_MASK};
}

static uint64_t *make_chunk(unsigned which)
{
    struct thread *t = thread_self;
    uint64_t *words = NULL;
    t->inside++;
    world_enter(t); /* for the arena's lock */
    uint64_t *fresh = arena_take(&memory, sizeof *words << PART_BITS);
    if (cas_acq_rel(&chunk[which], &words, fresh))
        words = fresh; /* otherwise it is somebody else's, and a few KiB are lost, once */
    world_leave(t);
    thread_outside(t);
    return words;
}

/* NULL: there is none, because the number is too high or, unless `make`, nobody has asked. */
static uint64_t *word_of(int fd, bool make)
{
    unsigned which = (unsigned)fd >> PART_BITS;
    if (which >= PARTS)
        return NULL;
    uint64_t *words = load_acquire(&chunk[which]);
    if (words == NULL && make)
        words = make_chunk(which);
    return words != NULL ? &words[(unsigned)fd & ((1u << PART_BITS) - 1)] : NULL;
}

static struct fd_ends both(uint32_t which)
{
    return (struct fd_ends){.in = which, .out = which};
}

static struct fd_ends ask_slow(int fd)
{
    bool changes, anonymous;
    struct fd_ends e = fd_ask(fd, &changes, &anonymous);
    uint64_t *word = changes ? NULL : word_of(fd, true), none = 0;
    if (anonymous)
        e = both(peg(PEG_MADE, word != NULL ? add_relaxed(&made, 1) : (uint32_t)fd));
    if (word == NULL || cas_acq_rel(word, &none, packed(e)))
        return e;
    return unpacked(none);
}

struct fd_ends fd_ends(int fd)
{
    const uint64_t *word = word_of(fd, false);
    uint64_t seen = word != NULL ? load_acquire(word) : 0;
    if (likely(seen != 0))
        return unpacked(seen);
    return ask_slow(fd);
}

enum { NOTHING, WRITE_TO_READ, EVERYTHING }; /* io_sync */

/* --- numbers and what they mean --- */

bool fd_is_guest(const struct thread *t)
{
    return t->kernel_id != (int)sys_call3(SYS_gettid, 0, 0, 0);
}

static void set(int fd, uint64_t value)
{
    if (fd < 0 || fd_is_guest(thread_self))
        return;
    uint64_t *word = word_of(fd, value != 0);
    if (word != NULL)
        store_release(word, value);
    if (fd <= 2)
        or_relaxed(&changed, 1u << fd);
    for (int was = load_relaxed(&highest); fd > was && !cas_relaxed(&highest, &was, fd);)
        ;
}

/* The kernel gives out a number again when it has been closed, and only then: what belonged to the old
 * descriptor in the program, in a table by number say, is handed over with it. */
static uint32_t number(int fd)
{
    return runtime_options.io_sync != NOTHING && fd >= 0 ? peg(PEG_NUMBER, (uint64_t)fd) : 0;
}

static void given_out(int fd, uint64_t value)
{
    set(fd, value);
    peg_acquire(thread_self, number(fd));
}

void fd_is_new(int fd)
{
    given_out(fd, 0);
}

bool fd_may_be_ours(int fd)
{
    return fd > 2 || (load_relaxed(&changed) >> fd & 1) != 0;
}

void fd_is_made(int fd)
{
    if (fd >= 0)
        given_out(fd, packed(both(peg(PEG_MADE, add_relaxed(&made, 1)))));
}

void fd_gives(int fd, uint32_t which)
{
    given_out(fd, packed((struct fd_ends){.in = which}));
}

void fd_is_copy(int fd, int of)
{
    const uint64_t *word = word_of(of, false);
    fd_ends(of);
    given_out(fd, word != NULL ? load_acquire(word) : 0);
}

void fd_are_pair(const int fd[2])
{
    fd_pair_known(fd);
    fd_is_new(fd[0]);
    fd_is_new(fd[1]);
}

/* The end of a file is something to be read, too. */
void fd_closing(struct thread *t, int fd)
{
    if (fd < 0 || fd_is_guest(t))
        return;
    epoll_forget(t, fd);
    fd_release(t, fd);
    peg_release(t, number(fd));
    set(fd, 0);
}

void fd_closing_all(struct thread *t, unsigned first, unsigned last, uintptr_t pc)
{
    for (unsigned fd = first; fd <= last && (int)fd >= 0 && (int)fd <= load_relaxed(&highest); fd++) {
        fd_close(t, (int)fd, pc);
        fd_closing(t, (int)fd);
    }
}

void fd_closing_bare(struct thread *t, unsigned first, unsigned last)
{
    if (fd_is_guest(t))
        return;
    for (unsigned fd = first; fd <= last && (int)fd >= 0 && (int)fd <= load_relaxed(&highest); fd++) {
        fd_forget((int)fd);
        fd_closing(t, (int)fd);
    }
}

/* --- order --- */

uint32_t fd_as_asked(uint32_t which)
{
    return runtime_options.io_sync == NOTHING      ? 0
           : runtime_options.io_sync >= EVERYTHING ? peg(PEG_SINGLE, PEG_EVERYTHING)
                                                   : which;
}

static struct fd_ends ends_now(int fd)
{
    if (runtime_options.io_sync == NOTHING || fd < 0)
        return (struct fd_ends){0};
    if (runtime_options.io_sync >= EVERYTHING)
        return both(peg(PEG_SINGLE, PEG_EVERYTHING));
    return fd_ends(fd);
}

/* What each peg was last fed from, if ever (fd_feeds). */
static uint32_t fed_from[(PEG_CLASSES << PEG_BITS) + 1];

void fd_acquire(struct thread *t, int fd)
{
    enum { LONGEST = 4 }; /* of a row of pipes, and there may be circles */
    struct fd_ends e = ends_now(fd);
    uint32_t from = e.in;
    for (unsigned i = 0; from != 0 && i < LONGEST; i++) {
        peg_acquire(t, from);
        from = load_relaxed(&fed_from[from]);
    }
    peg_acquire(t, e.self);
}

void fd_release(struct thread *t, int fd)
{
    struct fd_ends e = ends_now(fd);
    peg_release(t, e.out);
    peg_release(t, e.self);
}

void fd_release_to(struct thread *t, int fd, const struct sockaddr *name, size_t size)
{
    if (name == NULL || runtime_options.io_sync != WRITE_TO_READ) {
        fd_release(t, fd);
        return;
    }
    peg_release(t, fd_towards(name, size));
    fd_release(t, fd); /* a connection takes no notice of the address; and there are answers */
}

void fd_feeds(struct thread *t, int from, int to)
{
    uint32_t in = ends_now(from).in, out = ends_now(to).out;
    if (in != out)
        store_relaxed(&fed_from[out], in);
    fd_release(t, to);
}

/* --- connections ---
 *
 * Who connects is known to whoever accepts; who listens, to whoever has connected. */

void fd_connecting(struct thread *t, const struct sockaddr *name, size_t size)
{
    peg_release(t, fd_as_asked(fd_listener(name, size, PEG_TO)));
}

void fd_connected(struct thread *t, const struct sockaddr *name, size_t size)
{
    peg_acquire(t, fd_as_asked(fd_listener(name, size, PEG_FROM)));
}

void fd_listening(struct thread *t, int fd)
{
    struct sockaddr_storage name;
    socklen_t size = sizeof name;
    if (sys_call3(SYS_getsockname, fd, (long)&name, (long)&size) == 0)
        peg_release(t, fd_as_asked(fd_listener((struct sockaddr *)&name, size, PEG_FROM)));
}

/* --- files that are locks --- */

void fd_locked_by_file(struct thread *t)
{
    peg_acquire(t, fd_as_asked(peg(PEG_SINGLE, PEG_LOCK_FILES)));
}

void fd_unlocking_by_file(struct thread *t)
{
    peg_release(t, fd_as_asked(peg(PEG_SINGLE, PEG_LOCK_FILES)));
}
