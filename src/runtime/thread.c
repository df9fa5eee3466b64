#include "runtime/thread.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "runtime/access.h"
#include "runtime/ended_threads.h"
#include "runtime/history.h"
#include "runtime/init.h"
#include "runtime/intercept/start.h"
#include "runtime/past_sync.h"
#include "runtime/pending.h"
#include "runtime/signals.h"
#include "runtime/single_threaded.h"
#include "runtime/slots.h"
#include "runtime/stack.h"
#include "runtime/sync.h"
#include "runtime/world.h"

__thread struct thread *thread_self;
__thread uint32_t thread_now = NOT_NARROW;
struct registry registry;

enum { STACK_BYTES = 64 << 20 }; /* address space for 4 million frames; only what is used is ever touched */
enum { ID_CHUNK_BITS = 12, ID_CHUNK = 1 << ID_CHUNK_BITS, HANDLE_BUCKETS = 1 << 12 };

/* Under the registry's lock. */
static uint32_t next_id;
static struct thread **by_id[1 << (32 - ID_CHUNK_BITS)]; /* running ones only */
static uint16_t in_chunk[1 << (32 - ID_CHUNK_BITS)];     /* how many */
static struct thread *by_handle[HANDLE_BUCKETS];         /* those that may be joined */
static struct thread *free_threads;

/* --- the clock --- */

void thread_tick(struct thread *t)
{
    uint32_t next = t->actor.now + 1;
    history_change_context(t);
    if (likely(half_slot(next) == t->slot)) {
        store_relaxed(&t->clock[t->slot], next);
        t->actor.now = next;
    } else if (t->slot != NO_SLOT) {
        spin_lock(&registry.lock);
        slots_retire_locked(t);
        if (!slots_enter_locked(t))
            world_ask_locked(t, ATTEND_SLOT);
        spin_unlock(&registry.lock);
    }
    if (t == thread_self)
        single_threaded_show_epoch(t);
}

/* --- finding threads --- */

static const size_t id_chunk_bytes = sizeof(struct thread *) << ID_CHUNK_BITS;

static void keep_id_locked(struct thread *t)
{
    struct thread ***chunk = &by_id[t->id >> ID_CHUNK_BITS];
    if (*chunk == NULL)
        *chunk = arena_pages(id_chunk_bytes);
    (*chunk)[t->id % ID_CHUNK] = t;
    in_chunk[t->id >> ID_CHUNK_BITS]++;
}

/* A chunk whose threads have all been and gone is given back: ids are not used again. */
static void drop_id_locked(uint32_t id)
{
    uint32_t number = id >> ID_CHUNK_BITS;
    by_id[number][id % ID_CHUNK] = NULL;
    if (--in_chunk[number] == 0 && number < next_id >> ID_CHUNK_BITS) {
        arena_pages_free(by_id[number], id_chunk_bytes);
        by_id[number] = NULL;
    }
}

static struct thread **bucket_of(uintptr_t handle)
{
    return &by_handle[(handle >> 8) * UINT64_C(0x9e3779b97f4a7c15) >> 52];
}

static void unname_locked(struct thread *t)
{
    if (!t->named)
        return;
    struct thread **link = bucket_of(t->handle);
    while (*link != t)
        link = &(*link)->next_named;
    *link = t->next_named;
    t->named = false;
}

static struct thread *named_locked(uintptr_t handle)
{
    struct thread *t = *bucket_of(handle);
    while (t != NULL && t->handle != handle)
        t = t->next_named;
    return t;
}

/* Who had the handle before is gone: it was joined, or detached, by code that we do not see. */
static void name_locked(struct thread *t, uintptr_t handle)
{
    if (t->named || t->detached)
        return;
    struct thread **bucket = bucket_of(handle), *before = named_locked(handle);
    if (unlikely(before != NULL))
        unname_locked(before);
    t->handle = handle;
    t->named = true;
    t->next_named = *bucket;
    *bucket = t;
}

struct thread *thread_by_handle(uintptr_t handle)
{
    spin_lock(&registry.lock);
    struct thread *t = named_locked(handle);
    spin_unlock(&registry.lock);
    return t;
}

struct thread *thread_adopted_meanwhile(uintptr_t handle)
{
    spin_lock(&registry.lock);
    struct thread *t = named_locked(handle);
    if (t != NULL && !(t->adopted && load_acquire(&t->ended)))
        t = NULL;
    spin_unlock(&registry.lock);
    return t;
}

struct thread *thread_first(void)
{
    return load_acquire(&registry.all);
}

/* --- memory --- */

/* A detached thread that has told of its end may still be on its way out, and look at its struct. */
static bool is_gone(const struct thread *t)
{
    return t->joined || sys_call3(SYS_tgkill, sys_call3(SYS_getpid, 0, 0, 0), t->kernel_id, 0) == -ESRCH;
}

static struct thread *take_free_locked(void)
{
    enum { TRIES = 4 };
    struct thread **link = &free_threads;
    for (int tries = 0; *link != NULL && tries < TRIES; tries++, link = &(*link)->next)
        if (is_gone(*link)) {
            struct thread *t = *link;
            *link = t->next;
            return t;
        }
    return NULL;
}

/* Everything as in a new one, but for what only grows. */
static void clean(struct thread *t)
{
    struct frame *stack = t->stack, *stack_end = t->stack_end;
    struct history *history = t->history;
    void *alternate = t->alternate;
    uintptr_t *held = t->held;
    uint32_t held_room = t->held_room, era = t->era;
    sync_give_clock(&t->fenced);
    sync_give_clock(&t->loaded);
    memset(t, 0, offsetof(struct thread, clock));
    memset(t->clock, 0, thread_slots * sizeof *t->clock);
    t->history = history;
    history_empty(t);
    t->stack = stack;
    t->stack_end = stack_end;
    t->alternate = alternate;
    t->held = held;
    t->held_room = held_room;
    t->era = era + 1; /* what was checked stays where it is */
}

static struct thread *new_thread(void)
{
    spin_lock(&registry.lock);
    struct thread *t = take_free_locked();
    spin_unlock(&registry.lock);
    if (t != NULL) {
        clean(t);
    } else {
        t = arena_pages(sizeof *t);
        t->stack = arena_sparse(STACK_BYTES, true);
        t->stack_end = t->stack + STACK_BYTES / sizeof *t->stack;
        history_new(t);
    }
    t->actor.clock = t->clock;
    t->top = t->stack;
    t->slot = NO_SLOT;
    t->actor.now = NOT_NARROW;
    actor_forget(&t->actor);
    return t;
}

/* Whoever walks along the list without the lock, for a report, may find the thread at another place of it
 * later. */
void thread_forget_locked(struct thread *t)
{
    if (t->running || !t->detached || t->creating || t->slots_held > 0)
        return;
    unname_locked(t);
    ended_threads_add_locked(t);
    if (t->previous != NULL)
        store_release(&t->previous->next, t->next);
    else
        store_release(&registry.all, t->next);
    if (t->next != NULL)
        t->next->previous = t->previous;
    t->previous = NULL;
    t->next = free_threads;
    free_threads = t;
}

static void give_pages(void *from, size_t size)
{
    enum { PAGE = 4096 };
    uintptr_t first = ((uintptr_t)from + PAGE - 1) & -(uintptr_t)PAGE,
              last = ((uintptr_t)from + size) & -(uintptr_t)PAGE;
    if (last > first)
        sys_call3(SYS_madvise, (long)first, (long)(last - first), MADV_DONTNEED);
}

void thread_shrink_locked(struct thread *t)
{
    if (t->running || !t->detached || t->shrunk || !is_gone(t))
        return;
    t->shrunk = true;
    give_pages(t->clock, sizeof t->clock);
    give_pages(t->stack, STACK_BYTES);
    sync_give_clock(&t->fenced);
    sync_give_clock(&t->loaded);
}

/* --- life --- */

static void enlist_locked(struct thread *t)
{
    t->id = next_id++;
    keep_id_locked(t);
    t->next = registry.all;
    if (t->next != NULL)
        t->next->previous = t;
    store_release(&registry.all, t);
    t->next_running = registry.running;
    if (t->next_running != NULL)
        t->next_running->previous_running = t;
    registry.running = t;
    t->running = true;
    world_join_locked(t);
}

static bool unseen_ended; /* one that ran instrumented code. Written under the registry's lock */

/* Only instrumented functions write to the call stack, of which the first frame is never used. */
static bool is_unseen(const struct thread *t)
{
    return t->unseen && t->stack[1].pc != 0;
}

/* Without the lock, which a signal handler that ends the process may have interrupted. */
void thread_unseen_made(void)
{
    single_threaded_forbid();
    store_relaxed(&unseen_ended, true);
}

bool thread_any_unseen(void)
{
    bool any = load_relaxed(&unseen_ended);
    for (const struct thread *t = thread_first(); t != NULL && !any; t = t->next)
        any = t->running && is_unseen(t);
    return any;
}

static void delist_locked(struct thread *t)
{
    if (is_unseen(t))
        store_relaxed(&unseen_ended, true);
    if (t->previous_running != NULL)
        t->previous_running->next_running = t->next_running;
    else
        registry.running = t->next_running;
    if (t->next_running != NULL)
        t->next_running->previous_running = t->previous_running;
    t->running = false;
    drop_id_locked(t->id);
    slots_retire_locked(t);
    thread_forget_locked(t);
}

static void adopt(struct thread *t)
{
    t->kernel_id = (int)sys_call3(SYS_gettid, 0, 0, 0);
    spin_lock(&registry.lock);
    name_locked(t, (uintptr_t)pthread_self());
    if (!t->named)
        t->handle = (uintptr_t)pthread_self(); /* for reports, also of one that nobody can join */
    spin_unlock(&registry.lock);
    thread_self = t;
    single_threaded_show_epoch(t);
}

/* We have not seen which thread created this one (the main thread apart, which no thread created): it is taken to know
 * what all running threads know. That may hide a race with its creator; it never invents one. */
static void learn_all_locked(struct thread *t)
{
    for (struct thread *other = registry.running; other != NULL; other = other->next_running)
        vclock_join(t->clock, other->clock, thread_slots);
}

void thread_learn_all(struct thread *t)
{
    world_enter(t);
    spin_lock(&registry.lock);
    learn_all_locked(t);
    slots_know_retired_locked(t);
    spin_unlock(&registry.lock);
    world_leave(t);
    if (host_learned_all != NULL)
        host_learned_all(t);
}

static void adopt_new(bool callback)
{
    struct thread *t = new_thread();
    t->adopted = true;
    t->callback = callback;
    t->stack[1] = (struct frame){0};
    spin_lock(&registry.lock);
    single_threaded_forbid_locked();
    t->unseen = next_id > 0 && !callback;
    if (!callback)
        learn_all_locked(t);
    enlist_locked(t);
    spin_unlock(&registry.lock);
    if (host_adopted != NULL)
        host_adopted(t);
    adopt(t);
    start_adopted(t);
}

struct thread *thread_current(void)
{
    if (likely(thread_self != NULL))
        return thread_self;
    runtime_start();
    if (thread_self == NULL) /* otherwise it is the one that starts the runtime */
        adopt_new(false);
    return thread_self;
}

struct thread *thread_prepare(struct thread *creator, uintptr_t pc)
{
    single_threaded_end(creator);
    world_enter(creator);
    struct thread *t = new_thread();
    t->creating = true;
    vclock_join(t->clock, creator->clock, thread_slots); /* [FORK] */
    t->creator = creator->id;
    t->creation_node = stack_node_with(creator, pc);
    spin_lock(&registry.lock);
    enlist_locked(t);
    spin_unlock(&registry.lock);
    past_sync_add(creator, SYNC_THREAD, HISTORY_RELEASES, t->id, pc);
    thread_tick(creator);
    world_leave(creator);
    if (host_forked != NULL)
        host_forked(creator, t);
    return t;
}

void thread_abandon(struct thread *t)
{
    if (host_gone != NULL)
        host_gone(t);
    spin_lock(&registry.lock);
    t->creating = false;
    t->detached = t->joined = true; /* there was never anybody to join */
    delist_locked(t);
    spin_unlock(&registry.lock);
}

void thread_started(struct thread *t, uintptr_t handle)
{
    spin_lock(&registry.lock);
    t->creating = false;
    name_locked(t, handle); /* the new thread does the same when it begins */
    thread_forget_locked(t);
    spin_unlock(&registry.lock);
}

/* Stacks are used again, by threads that know nothing of each other: their shadow begins empty. The block
 * also holds the thread's static TLS. */
static void clear_stack(struct thread *t)
{
    pthread_attr_t attributes;
    void *address;
    size_t size;
    t->inside++;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &address, &size) == 0)
            world_clear_stack(t, (uintptr_t)address, size);
        pthread_attr_destroy(&attributes);
    }
    thread_outside(t);
}

void thread_begin(struct thread *t)
{
    adopt(t);
    clear_stack(t);
}

void thread_begin_callback(void)
{
    adopt_new(true);
    clear_stack(thread_self);
}

void thread_end(struct thread *t)
{
    t->inside++; /* for good: what the C library still does in it is not the program's */
    thread_now = NOT_NARROW;
    world_enter(t);
    if (heap_thread_ends != NULL)
        heap_thread_ends(t);
    uint64_t mask = signals_mask(SIG_BLOCK, SIGNALS_ASYNCHRONOUS);
    t->ended = true; /* handlers are put off no more: none may come where the registry's lock is held */
    if (unlikely(t->put_off.waits)) {
        world_leave(t);
        signals_thread_ends(t);
        signals_mask(SIG_BLOCK, SIGNALS_ASYNCHRONOUS);
        world_enter(t);
    }
    if (host_ended != NULL)
        host_ended(t);
    spin_lock(&registry.lock);
    if (host_gone != NULL && t->detached)
        host_gone(t);
    delist_locked(t);
    store_release(&t->working, 0); /* it is no longer one that anybody waits for */
    spin_unlock(&registry.lock);
    signals_mask(SIG_SETMASK, mask);
}

/* [JOIN]  the ended thread's clock moves no more, and the join ordered us after its last change. */
void thread_joined(struct thread *joiner, struct thread *ended, uintptr_t pc)
{
    if (host_joined != NULL) /* before it is forgotten */
        host_joined(joiner, ended);
    world_enter(joiner);
    past_sync_add(joiner, SYNC_THREAD, HISTORY_ACQUIRES, ended->id, pc);
    spin_lock(&registry.lock);
    ended->detached = ended->joined = true;
    unname_locked(ended);
    vclock_join(joiner->clock, ended->clock, thread_slots);
    if (ended->running) /* it could not tell of its end */
        delist_locked(ended);
    else
        thread_forget_locked(ended);
    spin_unlock(&registry.lock);
    single_threaded_try(joiner);
    world_leave(joiner);
}

void thread_detach(struct thread *t)
{
    spin_lock(&registry.lock);
    t->detached = true;
    if (host_gone != NULL && !t->running)
        host_gone(t);
    unname_locked(t);
    thread_forget_locked(t);
    spin_unlock(&registry.lock);
}

void thread_forked_locked(struct thread *self)
{
    self->kernel_id = (int)sys_call3(SYS_gettid, 0, 0, 0);
    for (struct thread *t = registry.running, *next; t != NULL; t = next) {
        next = t->next_running;
        if (t == self)
            continue;
        t->detached = t->joined = true;
        t->creating = false;
        unname_locked(t);
        delist_locked(t);
    }
    pending_forked_locked();
    self->unseen = unseen_ended = false; /* a process answers for its own threads */
    slots_know_retired_locked(self); /* of these, and of those that had ended before and were not joined */
}
