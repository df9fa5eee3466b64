#include "runtime/intercept/notice.h"

#include <time.h>

#include "base/arena.h"
#include "runtime/intercept/io.h"
#include "runtime/single_threaded.h"
#include "runtime/world.h"

/* Never given back: the call may come late. There is one for each function, argument and peg, however often
 * they are used. */
struct notice {
    struct notice *next;
    void (*function)(union sigval);
    union sigval value;
    uint32_t peg;
};

static struct notice *notices; /* under the lock */
static struct spin lock;
static struct arena memory;

static struct notice *find_locked(const struct notice *like)
{
    struct notice *n = notices;
    while (n != NULL && (n->function != like->function || n->value.sival_ptr != like->value.sival_ptr ||
                         n->peg != like->peg))
        n = n->next;
    return n;
}

static struct notice *keep(struct thread *t, struct notice wanted)
{
    t->inside++;
    world_enter(t);
    spin_lock(&lock);
    struct notice *n = find_locked(&wanted);
    if (n == NULL) {
        n = arena_take(&memory, sizeof *n);
        wanted.next = notices;
        *n = wanted;
        notices = n;
    }
    spin_unlock(&lock);
    world_leave(t);
    thread_outside(t);
    return n;
}

static void call(union sigval value)
{
    const struct notice *n = value.sival_ptr;
    struct thread *t = caller();
    if (t != NULL) {
        t->unseen = false; /* the C library has created it for this call */
        peg_acquire(t, n->peg);
    }
    n->function(n->value);
}

struct sigevent *notice_wrapped(struct thread *t, struct sigevent *event, uint32_t which,
                                struct sigevent *room)
{
    if (event == NULL || event->sigev_notify != SIGEV_THREAD || event->sigev_notify_function == NULL)
        return event;
    single_threaded_forbid(); /* the C library creates threads for it where we do not see it */
    *room = *event;
    room->sigev_notify_function = call;
    room->sigev_value.sival_ptr = keep(
        t,
        (struct notice){.function = event->sigev_notify_function, .value = event->sigev_value, .peg = which});
    return room;
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
            given = notice_wrapped(t, event, timers, &room);
        },
        REAL(timer_create)(clock, given, timer), if (result == 0) io_writes(timer, sizeof *timer, pc));
}
