/* epoll: registering a descriptor, and what made it ready, happen before the return that tells of it.
 *
 * An event says only what the program registered with it (`data`), not which descriptor it is about. So
 * registrations are kept, each with a peg of its own: in lists by epoll and data, to be found by events, and
 * in lists by descriptor, to be found when they change. An event that several registrations may have caused
 * learns from all of them. Registering is noted before it is done: an event that comes at once finds it. One
 * that finds nothing (the descriptor was closed, and a copy of it was not) learns from all registrations with
 * this epoll.
 *
 * Two events of one epoll are not ordered with each other: what two threads of a server do for two clients
 * may race. */
#include <sys/epoll.h>

#include "base/blocks.h"
#include "runtime/intercept/io.h"
#include "runtime/intercept/steps.h"
#include "runtime/world.h"

struct watch {
    struct watch *next, *next_of_fd;
    uint64_t data;
    uint32_t epoll; /* its peg */
    uint32_t peg;   /* its own */
    int fd;
};

enum { LISTS = 1024 };
static struct watch *by_data[LISTS], *by_fd[LISTS];
static struct blocks memory;
static struct spin lock; /* of the lists */
static uint32_t pegs;    /* given out */
static uint32_t count;   /* of watches; whoever closes a descriptor that is watched finds it above 0 */

static struct watch **list_of_data(uint32_t epoll, uint64_t data)
{
    uint64_t hash = (data ^ epoll) * UINT64_C(0x9e3779b97f4a7c15);
    return &by_data[hash >> 32 & (LISTS - 1)];
}

static struct watch **list_of_fd(int fd)
{
    return &by_fd[(unsigned)fd & (LISTS - 1)];
}

static void begin(struct thread *t)
{
    t->inside++;
    world_enter(t);
    spin_lock(&lock);
}

static void end(struct thread *t)
{
    spin_unlock(&lock);
    world_leave(t);
    thread_outside(t);
}

/* --- with the lock --- */

static const struct watch *find_registered(uint32_t epoll, int fd)
{
    const struct watch *w = *list_of_fd(fd);
    while (w != NULL && (w->fd != fd || w->epoll != epoll))
        w = w->next_of_fd;
    return w;
}

/* One that changes keeps its peg. */
static struct watch *add(uint32_t epoll, int fd, uint64_t data)
{
    const struct watch *before = find_registered(epoll, fd);
    struct watch *w = blocks_take(&memory, sizeof *w), **list = list_of_data(epoll, data),
                 **fds = list_of_fd(fd);
    *w = (struct watch){.next = *list,
                        .next_of_fd = *fds,
                        .data = data,
                        .epoll = epoll,
                        .peg = before != NULL ? before->peg : peg(PEG_WATCH, pegs++),
                        .fd = fd};
    *list = *fds = w;
    store_relaxed(&count, count + 1);
    return w;
}

/* `at` is where its descriptor's list refers to it. */
static void take_away(struct watch **at)
{
    struct watch *w = *at, **list = list_of_data(w->epoll, w->data);
    *at = w->next_of_fd;
    while (*list != w)
        list = &(*list)->next;
    *list = w->next;
    blocks_give(&memory, w, sizeof *w);
    store_relaxed(&count, count - 1);
}

/* Those of the descriptor in this epoll (0: in any), but for one. */
static void take_all_away(uint32_t epoll, int fd, const struct watch *but)
{
    for (struct watch **at = list_of_fd(fd); *at != NULL;) {
        if ((*at)->fd == fd && (epoll == 0 || (*at)->epoll == epoll) && *at != but)
            take_away(at);
        else
            at = &(*at)->next_of_fd;
    }
}

/* If it is still there. */
static void take_one_away(int fd, const struct watch *w)
{
    struct watch **at = list_of_fd(fd);
    while (*at != NULL && *at != w)
        at = &(*at)->next_of_fd;
    if (*at != NULL)
        take_away(at);
}

/* --- registering --- */

struct watch *epoll_noting(struct thread *t, int epoll, int what, int fd, const struct epoll_event *event)
{
    if (what == EPOLL_CTL_DEL || !io_can_read(event, sizeof *event))
        return NULL;
    uint32_t which = fd_ends(epoll).in;
    begin(t);
    struct watch *w = add(which, fd, event->data.u64);
    uint32_t own = w->peg;
    end(t);
    peg_release(t, fd_as_asked(own));
    return w;
}

void epoll_noted(struct thread *t, int epoll, int what, int fd, const struct watch *w, int result)
{
    uint32_t which = fd_ends(epoll).in;
    if (which == 0)
        which = ~0u;
    begin(t);
    if (result == 0)
        take_all_away(which, fd, what == EPOLL_CTL_DEL ? NULL : w);
    else if (w != NULL)
        take_one_away(fd, w);
    end(t);
}

void epoll_noted_last(struct thread *t, int epoll, int what, int fd, int result)
{
    uint32_t which = fd_ends(epoll).in;
    begin(t);
    const struct watch *w = what == EPOLL_CTL_DEL ? NULL : find_registered(which, fd);
    end(t);
    epoll_noted(t, epoll, what, fd, w, result);
}

void epoll_forget(struct thread *t, int fd)
{
    if (load_relaxed(&count) == 0)
        return;
    begin(t);
    take_all_away(0, fd, NULL);
    end(t);
}

INTERCEPT int epoll_ctl(int epoll, int what, int fd, struct epoll_event *event)
{
    struct watch *w = NULL;
    IO(
        {
            fd_use(epoll, pc);
            fd_use(fd, pc);
            if (event != NULL && what != EPOLL_CTL_DEL)
                io_reads(event, sizeof *event, pc);
            w = epoll_noting(t, epoll, what, fd, event);
            fd_release(t, epoll);
        },
        REAL(epoll_ctl)(epoll, what, fd, event), epoll_noted(t, epoll, what, fd, w, result));
}

/* --- events --- */

struct found {
    int fd;
    uint32_t peg;
};

/* Registrations that have this data, from the `skip`th on. */
static unsigned find(struct thread *t, uint32_t epoll, uint64_t data, unsigned skip, struct found *to,
                     unsigned room)
{
    unsigned found = 0;
    begin(t);
    for (const struct watch *w = *list_of_data(epoll, data); w != NULL && found < room; w = w->next) {
        if (w->data != data || w->epoll != epoll)
            continue;
        if (skip > 0)
            skip--;
        else
            to[found++] = (struct found){w->fd, w->peg};
    }
    end(t);
    return found;
}

static void happened(struct thread *t, int epoll, const struct epoll_event *event)
{
    const uint32_t only_out = EPOLLOUT | EPOLLWRNORM | EPOLLWRBAND;
    struct found all[32];
    unsigned found, done = 0;
    do {
        found = find(t, fd_ends(epoll).in, event->data.u64, done, all, array_length(all));
        for (unsigned i = 0; i < found; i++) {
            peg_acquire(t, fd_as_asked(all[i].peg));
            if (event->events & ~only_out)
                fd_acquire(t, all[i].fd);
        }
        done += found;
    } while (found == array_length(all));
    if (done == 0)
        fd_acquire(t, epoll);
}

void epoll_woken(struct thread *t, int epoll, struct epoll_event *event, int events, uintptr_t pc)
{
    for (int i = 0; i < events; i++)
        happened(t, epoll, &event[i]);
    io_writes(event, (size_t)events * sizeof *event, pc);
}

#define WAITED(call) IO_ON(epoll, NOTHING, call, if (result > 0) epoll_woken(t, epoll, event, result, pc))

INTERCEPT int epoll_wait(int epoll, struct epoll_event *event, int room, int milliseconds)
{
    WAITED(REAL(epoll_wait)(epoll, event, room, milliseconds));
}

INTERCEPT int epoll_pwait(int epoll, struct epoll_event *event, int room, int milliseconds,
                          const sigset_t *mask)
{
    WAITED(REAL(epoll_pwait)(epoll, event, room, milliseconds, mask));
}

INTERCEPT int epoll_pwait2(int epoll, struct epoll_event *event, int room, const struct timespec *wait,
                           const sigset_t *mask)
{
    WAITED(REAL(epoll_pwait2)(epoll, event, room, wait, mask));
}

INTERCEPT int epoll_create(int size)
{
    IO_OPENS(NOTHING, REAL(epoll_create)(size), fd_is_made(result));
}

INTERCEPT int epoll_create1(int flags)
{
    IO_OPENS(NOTHING, REAL(epoll_create1)(flags), fd_is_made(result));
}
