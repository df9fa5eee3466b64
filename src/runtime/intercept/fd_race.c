/* Descriptors that one thread closes while another uses them, and nothing orders the two.
 *
 * Each number has 8 bytes of its own. As far as the shadow is concerned, opening or closing the descriptor is a write to
 * them, and using it a read. So a race on the number is a race on these bytes, and the report says which number it is.
 *
 *   open        whatever happened to the number before is forgotten: the kernel gives it out again only after a close
 *   use         a read
 *   close       a write, and CLOSED
 *   dup2, dup3  onto a descriptor that is open: a use. The number means something else from one moment to the next, and is
 *               at no time free: programs replace their standard output, or a log, while other threads write there
 *
 * Descriptors are also opened and closed where we do not see it. So the use of a number that is CLOSED asks the kernel
 * first: if it is open, somebody else has opened it, and it is not the one that was closed. And a thread that uses or closes
 * what another has opened compares the file that is open with the one that was opened: if it is another, all that is known of
 * the number is forgotten. Descriptors whose beginning was not seen are not checked, but for standard input, output and
 * error. Nor are calls that do not count as accesses (libc.h).
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "runtime/intercept/fd.h"
#include "runtime/intercept/libc.h"
#include "runtime/location.h"
#include "runtime/stack.h"
#include "runtime/world.h"

enum { NUMBERS = 1 << 20, STANDARD = 3 };

/* state: 0, nothing is known; otherwise OPENED or CLOSED, and above these bits the id of the thread that opened it. Threads
 * that open and close the same number write it at once only if the program has a race. */
enum { OPENED = 1, CLOSED = 2, THREAD_SHIFT = 2 };

static struct descriptor {
    uint32_t node; /* stack of the call that opened it; 0: unknown */
    uint32_t state;
} descriptors[NUMBERS] __attribute__((aligned(64)));
_Static_assert(sizeof(struct descriptor) == 8, "two words of the shadow, which are forgotten together");

/* Which file it is; all 0: unknown. */
static struct identity {
    uint64_t device, inode;
} identities[NUMBERS];

static struct identity identity_now(int fd)
{
    struct stat st;
    if (sys_call3(SYS_fstat, fd, (long)&st, 0) != 0)
        return (struct identity){0};
    return (struct identity){st.st_dev, st.st_ino};
}

static bool is_other_file(int fd)
{
    struct identity opened = identities[fd], now = identity_now(fd);
    return opened.inode != 0 && now.inode != 0 && (opened.inode != now.inode || opened.device != now.device);
}

static struct descriptor *descriptor_of(int fd)
{
    return (unsigned)fd < NUMBERS ? &descriptors[fd] : NULL;
}

static bool is_open(int fd)
{
    return sys_call3(SYS_fcntl, fd, F_GETFD, 0) >= 0;
}

static void forget(struct descriptor *d)
{
    store_relaxed(&d->node, 0);
    store_relaxed(&d->state, 0);
    world_clear((uintptr_t)d, sizeof *d);
}

static void touch(struct descriptor *d, enum access_kind kind, uintptr_t pc)
{
    access_slow((uintptr_t)d, sizeof *d, kind, pc);
}

/* After a look at what happened unseen. 0: it is not to be checked. */
static uint32_t state_of(struct descriptor *d, int fd)
{
    uint32_t state = load_relaxed(&d->state);
    bool is_own = thread_self != NULL && state >> THREAD_SHIFT == thread_self->id;
    if ((unlikely(state & CLOSED) && is_open(fd)) || (state & OPENED && !is_own && is_other_file(fd))) {
        forget(d);
        state = 0;
    }
    return state != 0 || fd >= STANDARD ? state : OPENED;
}

void fd_use(int fd, uintptr_t pc)
{
    struct descriptor *d = descriptor_of(fd);
    if (d != NULL && libc_watched(pc) && state_of(d, fd) != 0)
        touch(d, PLAIN_READ, pc);
}

void fd_opened(struct thread *t, int fd, uintptr_t pc)
{
    struct descriptor *d = descriptor_of(fd);
    if (d == NULL || fd_is_guest(t))
        return;
    forget(d);
    if (!libc_watched(pc))
        return;
    t->inside++;
    world_enter(t);
    store_relaxed(&d->node, stack_node_with(t, pc));
    world_leave(t);
    thread_outside(t);
    identities[fd] = identity_now(fd);
    store_relaxed(&d->state, OPENED | t->id << THREAD_SHIFT);
    touch(d, PLAIN_WRITE, pc);
}

void fd_replaced(int fd)
{
    if (descriptor_of(fd) != NULL)
        identities[fd] = identity_now(fd);
}

void fd_close(struct thread *t, int fd, uintptr_t pc)
{
    struct descriptor *d = descriptor_of(fd);
    uint32_t state = d != NULL && !fd_is_guest(t) ? state_of(d, fd) : 0;
    if (state == 0 || (fd < STANDARD && !is_open(fd) && !(state & CLOSED)))
        return;
    if (!libc_watched(pc)) {
        forget(d);
    } else if (state & CLOSED) {
        touch(d, PLAIN_READ, pc); /* a second time, in vain */
    } else {
        store_relaxed(&d->state, (state & ~(uint32_t)OPENED) | CLOSED);
        touch(d, PLAIN_WRITE, pc);
    }
}

void fd_forget(int fd)
{
    struct descriptor *d = descriptor_of(fd);
    if (d != NULL && load_relaxed(&d->state) & OPENED)
        forget(d);
}

bool fd_replacing(int fd, uintptr_t pc)
{
    struct descriptor *d = descriptor_of(fd);
    if (d == NULL || !is_open(fd))
        return false;
    fd_use(fd, pc);
    return true;
}

/* --- for reports --- */

bool descriptor_at(uintptr_t address, struct location *l)
{
    size_t offset = address - (uintptr_t)descriptors;
    if (offset >= sizeof descriptors)
        return false;
    const struct descriptor *d = &descriptors[offset / sizeof *d];
    l->kind = WIRE_DESCRIPTOR;
    l->address = (uintptr_t)(d - descriptors);
    l->node = load_relaxed(&d->node);
    if (l->node != 0)
        l->thread_id = load_relaxed(&d->state) >> THREAD_SHIFT;
    return true;
}
