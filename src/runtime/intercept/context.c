/* makecontext, swapcontext, setcontext: several stacks in one thread.
 *
 * To us it is one thread, whichever stack it is on; only its call stack is another. So the frames of a
 * context are kept while it does not run, by the address of its ucontext_t:
 *
 *   makecontext(u)        u has no frames
 *   swapcontext(o, u)     o has the present ones; u's become the present ones
 *   setcontext(u)         u's become the present ones
 *   the end of u          those of its successor (uc_link). The C library does that unseen, so the
 *                         function that the context begins with is one of ours, which calls the program's
 *
 * getcontext is not seen: a jump back to where it was called is like longjmp (intercept/jump.h). That it has
 * been called since, we know from the stack pointer: it is not the one that was noted, or not where
 * swapcontext was called.
 *
 * Programs that tell of their fibers (runtime/fiber.c) switch call stacks by that.
 */
#include <stdarg.h>
#include <ucontext.h>

#include "runtime/fiber.h"
#include "runtime/intercept/caller.h"
#include "runtime/intercept/jump.h"
#include "runtime/world.h"

enum { BUCKETS = 1 << 10, MOST_ARGUMENTS = 12, SMALLEST = 16 };

struct context {
    struct context *next;
    const ucontext_t *of;
    uintptr_t sp_low, sp_high; /* where the stack pointer is while it does not run */
    uint32_t count, room;
    struct frame *frame;
    void (*function)(void);
    ucontext_t *successor;
    greg_t argument[MOST_ARGUMENTS];
};

static struct spin lock; /* of the lists; contexts are never given back */
static struct context *bucket[BUCKETS];
static struct arena memory;

static struct context *find(const ucontext_t *of, bool make)
{
    struct context **head = &bucket[((uintptr_t)of >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 54];
    spin_lock(&lock);
    struct context *c = *head;
    while (c != NULL && c->of != of)
        c = c->next;
    if (c == NULL && make) {
        c = arena_take(&memory, sizeof *c);
        c->of = of;
        c->next = *head;
        *head = c;
    }
    spin_unlock(&lock);
    return c;
}

/* --- frames --- */

static void make_room(struct context *c, uint32_t count)
{
    if (count <= c->room)
        return;
    uint32_t room = c->room > 0 ? c->room : SMALLEST;
    while (room < count)
        room *= 2;
    c->frame = arena_take(&memory,
                          room * sizeof *c->frame); /* the old ones are left behind: half as many, at most */
    c->room = room;
}

static void keep_frames(struct thread *t, struct context *c)
{
    c->count = (uint32_t)(t->top - t->stack);
    make_room(c, c->count);
    for (uint32_t i = 0; i < c->count; i++)
        c->frame[i] = t->stack[1 + i];
}

static void take_frames(struct thread *t, const struct context *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        t->stack[1 + i] = c->frame[i];
    t->top = t->stack + c->count;
}

static void go_to(struct thread *t, const ucontext_t *to)
{
    uintptr_t sp = (uintptr_t)to->uc_mcontext.gregs[REG_RSP];
    const struct context *c = find(to, false);
    if (c != NULL && sp >= c->sp_low && sp <= c->sp_high)
        take_frames(t, c);
    else
        jump_cut(t, sp);
}

/* The thread; NULL: call stacks are none of our business here. */
static struct thread *switching(void)
{
    return load_relaxed(&fibers_exist) ? NULL : caller();
}

/* --- the functions --- */

/* The first function on the stack of a context. */
static void begin(struct context *c)
{
    void (*function)(greg_t, greg_t, greg_t, greg_t, greg_t, greg_t, greg_t, greg_t, greg_t, greg_t, greg_t,
                     greg_t) = (void *)c->function;
    const greg_t *a = c->argument;
    ucontext_t *successor = c->successor;
    function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
    struct thread *t = switching();
    if (t == NULL || successor == NULL)
        return;
    t->inside++;
    world_enter(t);
    go_to(t, successor);
    world_leave(t);
    thread_outside(t);
}

INTERCEPT void makecontext(ucontext_t *u, void (*function)(void), int count, ...)
{
    struct thread *t = caller();
    struct context *c = NULL;
    va_list arguments;
    if (t != NULL) {
        t->inside++;
        world_enter(t);
        c = find(u, true);
        world_leave(t);
        thread_outside(t);
    } else {
        c = find(u, true);
    }
    va_start(arguments, count);
    for (int i = 0; i < MOST_ARGUMENTS; i++)
        c->argument[i] = i < count ? va_arg(arguments, greg_t) : 0;
    va_end(arguments);
    c->function = function;
    c->successor = u->uc_link;
    c->count = 0;
    REAL(makecontext)(u, (void (*)(void))(void *)begin, 1, c);
    c->sp_low = c->sp_high = (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
}

INTERCEPT int swapcontext(ucontext_t *restrict from, const ucontext_t *restrict to)
{
    enum { OWN_FRAME = 512 };
    struct thread *t = switching();
    if (t == NULL)
        return REAL(swapcontext)(from, to);
    t->inside++;
    world_enter(t);
    struct context *c = find(from, true);
    keep_frames(t, c);
    c->sp_high = (uintptr_t)__builtin_frame_address(0) +
                 2 * sizeof(void *); /* the caller's, if ours is gone by then */
    c->sp_low = c->sp_high - OWN_FRAME;
    go_to(t, to);
    world_leave(t);
    thread_outside(t);
    return REAL(swapcontext)(from, to); /* a signal that comes before it finds the other's call stack */
}

INTERCEPT int setcontext(const ucontext_t *to)
{
    struct thread *t = switching();
    if (t != NULL) {
        t->inside++;
        world_enter(t);
        go_to(t, to);
        world_leave(t);
        thread_outside(t);
    }
    return REAL(setcontext)(to);
}
