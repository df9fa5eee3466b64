#include "runtime/intercept/notice.h"

#include <time.h>

#include "base/arena.h"
#include "runtime/intercept/io.h"
#include "runtime/intercept/steps.h"
#include "runtime/peek.h"
#include "runtime/pending.h"
#include "runtime/single_threaded.h"
#include "runtime/world.h"

/* Never given back: the call may come late. There is one for each function, argument and request (or peg, if there is no
 * request), however often they are used; and one for each timer that there is at a time. */
struct notice {
    struct notice *next;
    struct pending pending; /* calls that are still to come */
    void (*function)(union sigval);
    union sigval value;
    uint32_t peg;        /* a request's: its own */
    const void *request; /* or NULL */
    struct sigevent
        *event;    /* the program's, which the C library looks at when the call is due; NULL: it has a copy */
    timer_t timer; /* if it lives */
    struct notice *next_living; /* of timers */
    bool lives;
    bool repeats; /* a timer that was ever set to run out again and again: one call stands for all */
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
           a->request == b->request && a->event == b->event && (a->request != NULL || a->peg == b->peg) &&
           !a->lives;
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

/* An event has what the program has put there; or, still, what we have, if the program uses it again. */
static struct notice *wrap(struct thread *t, const struct sigevent *event, struct notice like,
                           struct sigevent *to)
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
    return n;
}

static void ask(struct thread *t, struct notice *n)
{
    pending_ask(t, &n->pending, n->peg != 0);
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
    struct notice *n = value.sival_ptr;
    if (thread_self == NULL && runtime_awake())
        thread_begin_callback();
    struct thread *t = caller();
    if (t != NULL)
        peg_acquire(t, n->peg);
    if (!load_relaxed(&n->repeats))
        pending_one_less(&n->pending);
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
    ask(t, wrap(t, event, (struct notice){.peg = which}, room));
    return room;
}

/* Asked before the release: what the thread does after that is unknown to the call. */
static void ask_and_release(struct thread *t, struct notice *n)
{
    ask(t, n);
    peg_release(t, n->peg);
}

struct sigevent *notice_after_list(struct thread *t, struct sigevent *event, const void *list,
                                   struct sigevent *room)
{
    if (!calls(event))
        return event;
    ask_and_release(t, wrap(t, event, (struct notice){.request = list}, room));
    return room;
}

void notice_after(struct thread *t, struct sigevent *event)
{
    if (calls(event))
        ask_and_release(t, wrap(t, event, (struct notice){.request = event, .event = event}, event));
}

void notice_cancel(struct thread *t, struct sigevent *event)
{
    if (!calls(event) || event->sigev_notify_function != call)
        return;
    struct notice *n = event->sigev_value.sival_ptr;
    pending_one_less(&n->pending);
    enter(t);
    if (n->event != NULL)
        unwrap_locked(n);
    leave(t);
}

void notice_cancel_peg(struct thread *t, uint32_t which)
{
    if (which == 0)
        return;
    enter(t);
    for (size_t i = 0; i < LISTS; i++)
        for (struct notice *n = notices[i]; n != NULL; n = n->next)
            if (n->request == NULL && n->peg == which)
                pending_none(&n->pending);
    leave(t);
}

/* --- timers ---
 *
 * A call is still to come from a timer that is set, until it is called, set again or deleted. Several can be on their way from a
 * timer that is set again after it has run out. */

static struct notice *living[LISTS]; /* by timer; under the lock */

static struct notice **living_at(timer_t timer)
{
    return &living[(uintptr_t)timer * UINT64_C(0x9e3779b97f4a7c15) >> 54];
}

static struct notice *notice_of(struct thread *t, timer_t timer)
{
    enter(t);
    struct notice *n = *living_at(timer);
    while (n != NULL && n->timer != timer)
        n = n->next_living;
    leave(t);
    return n;
}

static struct notice *timer_notice(struct thread *t, const struct sigevent *event, struct sigevent *room)
{
    if (!calls(event))
        return NULL;
    return wrap(t, event, (struct notice){.peg = peg(PEG_SINGLE, PEG_TIMERS), .lives = true}, room);
}

static void timer_born(struct thread *t, struct notice *n, timer_t timer)
{
    enter(t);
    n->timer = timer;
    n->next_living = *living_at(timer);
    *living_at(timer) = n;
    leave(t);
}

static void timer_dies(struct thread *t, struct notice *n)
{
    pending_none(&n->pending);
    enter(t);
    struct notice **link = living_at(n->timer);
    while (*link != NULL && *link != n)
        link = &(*link)->next_living;
    if (*link != NULL)
        *link = n->next_living;
    n->lives = n->repeats = false;
    leave(t);
}

static bool is_set(const struct itimerspec *to)
{
    return to->it_value.tv_sec != 0 || to->it_value.tv_nsec != 0;
}

/* A call is to come, unless this stops the timer. Returns whether. */
static bool timer_asks(struct thread *t, struct notice *n, const struct itimerspec *to)
{
    if (n == NULL || !io_can_read(to, sizeof *to) || !is_set(to))
        return false;
    if (to->it_interval.tv_sec != 0 || to->it_interval.tv_nsec != 0)
        store_relaxed(&n->repeats, true);
    ask(t, n);
    return true;
}

INTERCEPT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer)
{
    struct sigevent room;
    struct notice *n = NULL;
    IO(
        {
            if (event != NULL)
                io_reads(event, sizeof *event, pc);
            n = timer_notice(t, event, &room);
            peg_release(t, peg(PEG_SINGLE, PEG_TIMERS));
        },
        REAL(timer_create)(clock, n != NULL ? &room : event, timer),
        {
            if (result == 0)
                io_writes(timer, sizeof *timer, pc);
            if (n != NULL && result == 0)
                timer_born(t, n, *timer);
            else if (n != NULL)
                timer_dies(t, n);
        });
}

INTERCEPT int timer_settime(timer_t timer, int flags, const struct itimerspec *new, struct itimerspec *old)
{
    struct itimerspec before = {.it_value = {0}};
    struct notice *n = NULL;
    bool asked = false;
    IO(
        {
            if (new != NULL)
                io_reads(new, sizeof *new, pc);
            n = notice_of(t, timer);
            asked = timer_asks(t, n, new);
            signal_order_timer_set(t);
        },
        REAL(timer_settime)(timer, flags, new, old != NULL ? old : &before),
        {
            if (result == 0 && old != NULL)
                io_writes(old, sizeof *old, pc);
            if ((asked && result != 0) || (n != NULL && result == 0 && is_set(old != NULL ? old : &before)))
                pending_one_less(&n->pending); /* this call, or the one before, which did not run out */
        });
}

INTERCEPT int timer_delete(timer_t timer)
{
    IO(
        {
            struct notice *n = notice_of(t, timer);
            if (n != NULL)
                timer_dies(t, n);
        },
        REAL(timer_delete)(timer), NOTHING);
}
