/* Threads: create, join, detach, and their ends.
 *
 * A thread ends for us in the last thing of the program's that runs in it: the destructors of thread-specific
 * data, however it ended (by return, pthread_exit or cancellation; std::thread and C11 threads too). We have
 * such a destructor of our own. It puts itself off to the last of the rounds that POSIX lets destructors
 * have, and its key is the highest there is, so that in that round it comes after the program's. What the C
 * library does with the thread after that passes straight through us: the thread stays inside the runtime.
 */
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>

#include "runtime/fiber.h"
#include "runtime/intercept/alternate.h"
#include "runtime/intercept/mutex.h"
#include "runtime/intercept/start.h"
#include "runtime/options.h"
#include "runtime/signals.h"
#include "runtime/world.h"

/* --- the end --- */

static pthread_key_t end_key;
static bool have_end_key;

static void at_end(void *rounds)
{
    struct thread *t = thread_self;
    uintptr_t left = (uintptr_t)rounds;
    if (left <= 1)
        t = fiber_go_home(t);
    t->inside++;
    if (left > 1) {
        pthread_setspecific(end_key, (void *)(left - 1));
        thread_outside(t);
        return;
    }
    mutex_left_behind(t);
    thread_end(t);
}

void start_adopted(struct thread *t)
{
    if (!have_end_key)
        return;
    t->inside++;
    pthread_setspecific(end_key, (void *)(uintptr_t)PTHREAD_DESTRUCTOR_ITERATIONS);
    thread_outside(t);
}

void start_init(void)
{
    /* Keys are given out from the lowest free one on, and destructors run in the order of keys. */
    pthread_key_t key[PTHREAD_KEYS_MAX];
    int count = 0;
    while (count < PTHREAD_KEYS_MAX && REAL(pthread_key_create)(&key[count], at_end) == 0)
        count++;
    have_end_key = count > 0;
    if (!have_end_key)
        return; /* then a thread ends when it is joined */
    end_key = key[--count];
    while (count > 0)
        REAL(pthread_key_delete)(key[--count]);
    start_adopted(thread_self);
}

/* --- the beginning --- */

static struct spin lock; /* of the free list */
static struct start *free_starts;
static struct arena memory;

static struct start *take_start(void)
{
    spin_lock(&lock);
    struct start *s = free_starts;
    if (s != NULL)
        free_starts = *(struct start **)s;
    spin_unlock(&lock);
    return s != NULL ? s : arena_take(&memory, sizeof *s);
}

static void give_start(struct start *s)
{
    spin_lock(&lock);
    *(struct start **)s = free_starts;
    free_starts = s;
    spin_unlock(&lock);
}

/* A signal that a new thread gets before it knows who it is would be taken for one of another thread. So all
 * are blocked while it is created (but for libc's own, and faults), and in itself until it does know. */
static const uint64_t while_created = SIGNALS_ASYNCHRONOUS & ~(SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP));

struct start *start_prepare(struct thread *creator, const struct start *what, bool detached, uintptr_t pc)
{
    creator->inside++; /* until start_created: what the C library allocates for the thread is its own */
    world_enter(creator);
    struct start *s = take_start();
    *s = *what;
    s->thread = thread_prepare(creator, pc);
    s->thread->detached = detached;
    s->thread->unseen = real_too_late; /* with RTLD_DEEPBIND we see this call, but perhaps no locks */
    world_leave(creator);
    s->signals = creator->signals = signals_mask(SIG_BLOCK, while_created);
    return s;
}

/* With thread_start_wait: a program that ends at once, without exit(), does not end before its threads begin. */
static void begun(struct thread *t)
{
    if (!runtime_options.thread_start_wait)
        return;
    store_release(&t->begun, 1);
    sys_call3(SYS_futex, (long)&t->begun, FUTEX_WAKE_PRIVATE, 1);
}

static void wait_until_begun(const struct thread *t)
{
    while (runtime_options.thread_start_wait && load_acquire(&t->begun) == 0)
        sys_call6(SYS_futex, (long)&t->begun, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
}

void start_created(struct thread *creator, struct start *start, struct thread *child, uintptr_t handle)
{
    if (handle == 0) {
        thread_abandon(child);
        world_enter(creator);
        give_start(start);
        world_leave(creator);
    } else {
        wait_until_begun(child);
        /* The child may not have run yet: then nobody could find it by its handle but for this. */
        thread_started(child, handle);
    }
    if (!creator->put_off.waits) /* or they are unblocked when that is over */
        signals_mask(SIG_SETMASK, creator->signals);
    thread_outside(creator);
}

struct start start_begin(struct start *start)
{
    struct start copy = *start;
    thread_begin(copy.thread);
    world_enter(copy.thread);
    give_start(start);
    world_leave(copy.thread);
    start_adopted(copy.thread);
    alternate_begin(copy.thread);
    begun(copy.thread);
    signals_mask(SIG_SETMASK, copy.signals);
    return copy;
}

static void *run(void *argument)
{
    struct start start = start_begin(argument);
    return start.function(start.argument);
}

static bool is_detached(const pthread_attr_t *attributes)
{
    int state = PTHREAD_CREATE_JOINABLE;
    if (attributes != NULL)
        pthread_attr_getdetachstate(attributes, &state);
    return state == PTHREAD_CREATE_DETACHED;
}

/* The attributes may say which signals are blocked in the new thread. Then the thread gets that mask later, and the attributes
 * say that all are blocked while it is created. They are the program's, and may be in use by several threads at once. */
static struct spin attributes_lock;

static bool hold_mask(pthread_attr_t *attributes, sigset_t *mask)
{
    sigset_t all;
    if (attributes == NULL || pthread_attr_getsigmask_np(attributes, mask) != 0)
        return false;
    spin_lock(&attributes_lock);
    pthread_attr_getsigmask_np(attributes, mask);
    sigfillset(&all);
    pthread_attr_setsigmask_np(attributes, &all);
    return true;
}

static void give_mask(pthread_attr_t *attributes, const sigset_t *mask)
{
    pthread_attr_setsigmask_np(attributes, mask);
    spin_unlock(&attributes_lock);
}

void start_forked(void)
{
    attributes_lock = (struct spin){0};
}

INTERCEPT int pthread_create(pthread_t *restrict handle, const pthread_attr_t *restrict attributes,
                             void *(*function)(void *), void *restrict argument)
{
    runtime_wake();
    struct thread *self = caller();
    if (self == NULL)
        return REAL(pthread_create)(handle, attributes, function, argument);
    object_written(self, handle, sizeof *handle, CALLER_PC); /* glibc fills it in before the thread runs */
    uintptr_t pc = self->starts_at != 0 ? self->starts_at : CALLER_PC;
    self->starts_at = 0; /* where that throws, nobody else takes it back */
    struct start *start = start_prepare(self, &(struct start){.function = function, .argument = argument},
                                        is_detached(attributes), pc);
    struct thread *child = start->thread;
    sigset_t mask;
    bool masked = hold_mask((pthread_attr_t *)attributes, &mask);
    if (masked)
        start->signals = *(uint64_t *)(void *)&mask;
    int result = REAL(pthread_create)(handle, attributes, run, start);
    if (masked)
        give_mask((pthread_attr_t *)attributes, &mask);
    start_created(self, start, child, result == 0 ? (uintptr_t)*handle : 0);
    return result;
}

/* Under a name that nobody can replace. */
extern HIDDEN int own_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
__asm__(".hidden own_pthread_create\n\t"
        ".globl own_pthread_create\n\t"
        ".set own_pthread_create, pthread_create");

bool start_is_ours(void)
{
    __typeof__(&own_pthread_create) volatile used = pthread_create; /* what the dynamic linker has chosen */
    return used == own_pthread_create;
}

/* --- joining --- */

int start_joined(struct thread *joiner, uintptr_t handle, struct thread *ended, int result, uintptr_t pc)
{
    if (result == 0 && ended == NULL)
        ended = thread_adopted_meanwhile(handle);
    if (result == 0 && ended != NULL) {
        joiner->inside++;
        thread_joined(joiner, ended, pc);
        thread_outside(joiner);
    }
    return result;
}

#define JOINING(handle, value, call)                                                                         \
    struct thread *self = caller();                                                                          \
    if (self == NULL)                                                                                        \
        return call;                                                                                         \
    struct thread *ended = thread_by_handle((uintptr_t)handle);                                              \
    int result = start_joined(self, (uintptr_t)handle, ended, call, CALLER_PC);                              \
    if (result == 0 && value != NULL)                                                                        \
        object_written(self, value, sizeof *value, CALLER_PC);                                               \
    return result

INTERCEPT int pthread_join(pthread_t handle, void **value)
{
    JOINING(handle, value, REAL(pthread_join)(handle, value));
}

INTERCEPT int pthread_tryjoin_np(pthread_t handle, void **value)
{
    JOINING(handle, value, REAL(pthread_tryjoin_np)(handle, value));
}

INTERCEPT int pthread_timedjoin_np(pthread_t handle, void **value, const struct timespec *until)
{
    JOINING(handle, value, REAL(pthread_timedjoin_np)(handle, value, until));
}

INTERCEPT int pthread_clockjoin_np(pthread_t handle, void **value, clockid_t clock,
                                   const struct timespec *until)
{
    JOINING(handle, value, REAL(pthread_clockjoin_np)(handle, value, clock, until));
}

INTERCEPT int pthread_detach(pthread_t handle)
{
    struct thread *self = caller();
    struct thread *t = self != NULL ? thread_by_handle((uintptr_t)handle) : NULL;
    if (t != NULL)
        thread_detach(t); /* before the real call: after it, t may end and be somebody else */
    return REAL(pthread_detach)(handle);
}

/* --- names --- */

INTERCEPT int pthread_setname_np(pthread_t handle, const char *name)
{
    int result = REAL(pthread_setname_np)(handle, name);
    struct thread *self = caller();
    if (self == NULL || result != 0)
        return result;
    self->inside++;
    struct thread *t = handle == pthread_self() ? self : thread_by_handle((uintptr_t)handle);
    for (size_t i = 0; t != NULL && i < sizeof t->name; i++)
        if ((t->name[i] = name[i]) == '\0')
            break;
    thread_outside(self);
    return result;
}
