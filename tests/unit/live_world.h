/* The world of shadow_live_test.c: simulated threads, which are struct threads of the runtime, and what the
 * runtime needs around it. All of them are this one real thread, which becomes the one whose step is next.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "report/wire.h"
#include "runtime/annotations.h"
#include "runtime/atomic_sync.h"
#include "runtime/channel.h"
#include "runtime/completeness.h"
#include "runtime/history.h"
#include "runtime/init.h"
#include "runtime/intercept/barrier.h"
#include "runtime/intercept/memory.h"
#include "runtime/options.h"
#include "runtime/stack.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/lock.h"
#include "runtime/intercept/start.h"
#include "runtime/report.h"
#include "runtime/slots.h"
#include "runtime/world.h"
#include "entry_points.h"

enum { PAGE = 4096 };

static char memory[4 * PAGE] __attribute__((aligned(PAGE)));
static char locks[PAGE] __attribute__((aligned(PAGE)));
static size_t in_first_page = 32; /* so that there are two chunks (shadow/chunks.h) */
#define BASE ((uintptr_t)memory + PAGE - in_first_page)

static struct thread *threads[MOST_THREADS];
static enum { UNBORN, LIVE, ENDED, JOINED } life[MOST_THREADS];
static bool told_at_end, ending;
static bool inside;           /* of the schedule */
static uint64_t untold_sites; /* races of which the earlier access was not in its thread's history */

/* --- epochs ---
 *
 * The epoch that a step is made in, and that of the earlier access of a race. On the generic host, where
 * places are known for ever, each step is made in a call of its own and is its own epoch. */

void __tsan_func_entry(void *pc);
void __tsan_func_exit(void);

#ifdef PF_GENERIC
enum { IN_PARTS = false };

static uint32_t step_number = WIRE_MARKS; /* a return address: below, they would be marks */
static const char *detector = "vc";

static uint32_t epoch_begins(void)
{
    __tsan_func_entry((void *)(uintptr_t)++step_number);
    return step_number;
}

static uint32_t epoch_begun(uint32_t began)
{
    return began;
}

static void epoch_ends(void)
{
    if (thread_self->inside == 0)
        __tsan_func_exit();
}

static uint32_t epoch_told(const struct race_found *found, const struct access_site *site)
{
    uintptr_t call = 0;
    (void)found;
    stack_unwind(site->node, &call, 1);
    return (uint32_t)call;
}

static bool start_host(void)
{
    return host_choose(detector);
}
#else
enum { IN_PARTS = true };
static const char *detector;

static uint32_t epoch_begins(void)
{
    return thread_self->actor.now;
}

static uint32_t epoch_begun(uint32_t began)
{
    (void)began;
    return thread_self->actor.now;
}

static void epoch_ends(void)
{
}

static uint32_t epoch_told(const struct race_found *found, const struct access_site *site)
{
    (void)site;
    return found->conflict.earlier;
}

static bool start_host(void)
{
    return detector == NULL;
}
#endif

/* --- what the runtime needs around it --- */

#ifndef REPORTS_ELSEWHERE
void report_race(struct thread *t, const struct race_access_live *current, const struct race_found *found)
{
    unsigned thread = MOST_THREADS - 1;
    while (threads[thread] != t) /* which may have been another's that is forgotten */
        thread--;
    struct access_site site = {0};
    const struct thread *earlier;
    bool known = access_earlier(found, &earlier, &site);
    struct conflict conflict = {epoch_told(found, &site), found->conflict.kind};
    told_at_end |= ending;
    schedule_told(&(struct told){thread, current->address, current->size, current->kind, found->address,
                                 conflict, site.address, site.size});
    untold_sites += !known || earlier == NULL || found->address - site.address >= site.size;
}
#endif

bool lock_last_use(uintptr_t lock, uint32_t half, struct access_site *site)
{
    (void)lock, (void)half, (void)site;
    return false;
}

bool annotations_benign(uintptr_t address)
{
    (void)address;
    return false;
}

#ifdef PF_GENERIC
struct benign *annotations_first;
bool fibers_exist;

bool channel_tape(uint64_t window, int *fd)
{
    (void)window, (void)fd;
    return false; /* nothing is recorded */
}

uintptr_t memory_freed_by(const struct thread *t)
{
    (void)t;
    return 0;
}
#endif

void annotations_forget(uintptr_t address, size_t size)
{
    (void)address;
    (void)size;
}

void runtime_start(void)
{
}

bool runtime_awake(void)
{
    return true;
}

void start_adopted(struct thread *t)
{
    (void)t;
}

void barrier_each_mailbox(void (*visit)(struct mailbox *m))
{
    (void)visit;
}

bool unmodelled_called[UNMODELLED_COUNT];

void *real_find_slow(struct real *entry)
{
    return strcmp(entry->name, "memset") == 0   ? (void *)memset
           : strcmp(entry->name, "memcpy") == 0 ? (void *)memcpy
                                                : (void *)memmove;
}

/* --- the world --- */

/* In a function, as everything in a program is. */
static void become(struct thread *t)
{
    thread_self = t;
    thread_now = t->actor.now;
    if (t->top == t->stack)
        __tsan_func_entry((void *)(uintptr_t)&become);
}

static void begin(const struct schedule *s)
{
    for (size_t n = 0; n < s->count; n++)
        atomic_fences_exist |= s->step[n].op == STEP_FENCE; /* the program says so when it is loaded */
    memset(threads, 0, sizeof threads);
    memset(life, 0, sizeof life);
    inside = s->inside;
    threads[0] = thread_current();
    life[0] = LIVE;
    untold_sites = 0;
    told_at_end = ending = false;
}

static void settle(unsigned thread)
{
    become(threads[thread]);
}

/* Where a sync object lives. */
static uintptr_t object_at(uint16_t object)
{
    if (object >= MOST_OBJECTS)
        return BASE + VARIABLES + 16u * (object - MOST_OBJECTS);
    return (inside ? BASE : (uintptr_t)locks) + (uintptr_t)OBJECT_STRIDE * object;
}

static void fork_thread(struct thread *t, unsigned child)
{
    threads[child] = thread_prepare(t, (uintptr_t)&fork_thread);
    thread_started(threads[child], (uintptr_t)threads[child]);
    thread_begin(threads[child]);
    become(t);
    life[child] = LIVE;
}

/* Who had it has given it back, or has begun another epoch since. */
static void given_out_again(uintptr_t address, size_t size)
{
    shadow_clear(address, size);
    for (unsigned i = 0; i < MOST_THREADS; i++)
        if (threads[i] != NULL)
            threads[i]->era++;
}

static uint32_t step(const struct step *s)
{
    struct thread *t = threads[s->thread];
    uintptr_t object = object_at(s->at);
    become(t);
    uint32_t now = epoch_begins();
    if (s->op != STEP_ACCESS && s->op != STEP_LOOP) {
        world_enter(t); /* it may need a slot first */
        world_leave(t);
        now = epoch_begun(now);
        thread_current(); /* as interceptors do */
    }
    switch ((enum step_op)s->op) {
    case STEP_ACCESS:
        entry_plain(s, BASE + s->at);
        break;
    case STEP_LOOP:
        entry_loop(s, BASE + s->at);
        break;
    case STEP_ATOMIC:
        entry_atomic(s, (void *)(BASE + s->at));
        break;
    case STEP_FENCE:
        __tsan_atomic_thread_fence(s->order);
        break;
    case STEP_CLEAR:
        given_out_again(BASE + s->at, s->size);
        break;
    case STEP_ACQUIRE:
        sync_acquire(t, object);
        break;
    case STEP_RELEASE:
        sync_release(t, object);
        break;
    case STEP_PUBLISH:
        sync_publish(t, object);
        break;
    case STEP_PUBLISH_READER:
        sync_publish_reader(t, object);
        break;
    case STEP_ACQUIRE_EXCLUSIVE:
        sync_acquire_exclusive(t, object);
        break;
    case STEP_ACQUIRE_ALL:
        sync_acquire_all(t, object);
        break;
    case STEP_FORGET:
        sync_destroy(object);
        break;
    case STEP_FORK:
        fork_thread(t, s->at);
        break;
    case STEP_END:
        thread_end(t);
        life[s->thread] = ENDED;
        break;
    case STEP_JOIN:
        thread_joined(t, threads[s->at], 0);
        life[s->at] = JOINED;
        break;
    default:
        abort();
    }
    if (s->op == STEP_ACCESS || s->op == STEP_LOOP)
        now = epoch_begun(now); /* it may have needed one */
    epoch_ends();
    return now;
}

/* The first thread, which has joined all others, may write everything. */
static const char *end(const struct schedule *s)
{
    (void)s;
    struct thread *t = threads[0];
    for (size_t i = 1; i < MOST_THREADS; i++) {
        if (life[i] == LIVE) {
            settle((unsigned)i);
            thread_end(threads[i]);
        }
        if (life[i] == LIVE || life[i] == ENDED)
            thread_joined(t, threads[i], 0);
    }
    settle(0);
    ending = true;
    __tsan_write_range(BASE, MOST_BYTES);
    const char *wrong = NULL;
    if (told_at_end)
        wrong = "who has joined everybody races with somebody";
    else if (untold_sites > 0)
        wrong = "the earlier access of a race is not in the history";
    shadow_clear((uintptr_t)memory, sizeof memory);
    shadow_clear((uintptr_t)scratch, sizeof scratch);
    return wrong;
}
