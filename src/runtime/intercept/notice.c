#include "runtime/intercept/notice.h"

#include <time.h>

#include "base/arena.h"
#include "runtime/intercept/io.h"
#include "runtime/peek.h"
#include "runtime/single_threaded.h"
#include "runtime/world.h"

/* Never given back: the call may come late. There is one for each function, argument and request (or peg, if there is no
 * request), however often they are used. */
struct notice {
    struct notice *next;
    void (*function)(union sigval);
    union sigval value;
    uint32_t peg;        /* a request's: its own */
    const void *request; /* or NULL */
    struct sigevent
        *event; /* the program's, which the C library looks at when the call is due; NULL: it has a copy */
};

enum { LISTS = 1 << 10 };
static struct notice
    *notices[LISTS]; /* under the lock, as is what events have in the place of the program's */
static struct spin lock;
static struct arena memory;
static uint32_t requests; /* how many have a peg */

static struct notice **list_of(const struct notice *n)
{
    uintptr_t key = (uintptr_t)n->value.sival_ptr ^ (uintptr_t)n->function ^ (uintptr_t)n->request;
    return &notices[key * UINT64_C(0x9e3779b97f4a7c15) >> 54];
}
_Static_assert(LISTS == 1 << (64 - 54), "the bits above");

static bool same(const struct notice *a, const struct notice *b)
{
    return a->function == b->function && a->value.sival_ptr == b->value.sival_ptr &&
           a->request == b->request && a->event == b->event && (a->request != NULL || a->peg == b->peg);
}

static struct notice *find_locked(const struct notice *like)
{
    struct notice *n = *list_of(like);
    while (n != NULL && !same(n, like))
        n = n->next;
    return n;
}

static struct notice *keep_locked(struct notice wanted)
{
    struct notice *n = find_locked(&wanted), **list = list_of(&wanted);
    if (n != NULL)
        return n;
    n = arena_take(&memory, sizeof *n);
    if (wanted.request != NULL)
        wanted.peg = peg(PEG_REQUEST, requests++);
    wanted.next = *list;
    *n = wanted;
    *list = n;
    return n;
}

static void enter(struct thread *t)
{
    t->inside++;
    world_enter(t);
    spin_lock(&lock);
}

static void leave(struct thread *t)
{
    spin_unlock(&lock);
    world_leave(t);
    thread_outside(t);
}

static void call(union sigval value);

/* Returns the peg. An event has what the program has put there; or, still, what we have, if the program uses it again. */
static uint32_t wrap(struct thread *t, const struct sigevent *event, struct notice like, struct sigevent *to)
{
    struct notice *n;
    enter(t);
    const struct notice *last = event->sigev_notify_function == call ? event->sigev_value.sival_ptr : NULL;
    like.function = last != NULL ? last->function : event->sigev_notify_function;
    like.value = last != NULL ? last->value : event->sigev_value;
    *to = *event;
    n = keep_locked(like);
    to->sigev_value.sival_ptr = n;
    to->sigev_notify_function = call;
    leave(t);
    return n->peg;
}

static void unwrap_locked(const struct notice *n)
{
    struct sigevent *event = n->event;
    if (peek((uintptr_t)&event->sigev_value) != (uintptr_t)n || event->sigev_notify_function != call)
        return; /* the program has it for something else by now */
    event->sigev_value = n->value;
    event->sigev_notify_function = n->function;
}

static void call(union sigval value)
{
    const struct notice *n = value.sival_ptr;
    if (thread_self == NULL && runtime_awake())
        thread_begin_callback();
    struct thread *t = caller();
    if (t != NULL)
        peg_acquire(t, n->peg);
    if (t != NULL && n->event != NULL) {
        enter(t);
        unwrap_locked(n);
        leave(t);
    }
    n->function(n->value);
}

/* The threads that the C library creates for it are created where we do not see it. */
static bool calls(const struct sigevent *event)
{
    if (event == NULL || event->sigev_notify != SIGEV_THREAD || event->sigev_notify_function == NULL)
        return false;
    single_threaded_forbid();
    return true;
}

struct sigevent *notice_after_peg(struct thread *t, struct sigevent *event, uint32_t which,
                                  struct sigevent *room)
{
    if (!calls(event))
        return event;
    wrap(t, event, (struct notice){.peg = which}, room);
    return room;
}

struct sigevent *notice_after_list(struct thread *t, struct sigevent *event, const void *list,
                                   struct sigevent *room)
{
    if (!calls(event))
        return event;
    peg_release(t, wrap(t, event, (struct notice){.request = list}, room));
    return room;
}

void notice_after(struct thread *t, struct sigevent *event)
{
    if (calls(event))
        peg_release(t, wrap(t, event, (struct notice){.request = event, .event = event}, event));
}

void notice_cancel(struct thread *t, struct sigevent *event)
{
    if (!calls(event) || event->sigev_notify_function != call)
        return;
    enter(t);
    unwrap_locked(event->sigev_value.sival_ptr);
    leave(t);
}

/* Setting the timer releases into the same peg (signal_order.c). */
INTERCEPT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer)
{
    struct sigevent room;
    const uint32_t timers = peg(PEG_SINGLE, PEG_TIMERS);
    struct sigevent *given = event;
    IO(
        {
            if (event != NULL)
                io_reads(event, sizeof *event, pc);
            peg_release(t, timers);
            given = notice_after_peg(t, event, timers, &room);
        },
        REAL(timer_create)(clock, given, timer), if (result == 0) io_writes(timer, sizeof *timer, pc));
}
