#include "runtime/thread.h"

#include <pthread.h>
#include <unistd.h>

#include "base/out.h"
#include "runtime/access.h"
#include "runtime/history.h"
#include "runtime/intercept/start.h"
#include "runtime/stack.h"

__thread struct thread *thread_self;
__thread uint32_t thread_now;
uint32_t thread_slots;

enum { STACK_BYTES = 64 << 20 }; /* address space for 4 million frames; only what is used is ever touched */

/* One owner of a slot from this clock on. */
struct tenure {
    uint32_t first;
    struct thread *owner;
    struct tenure *before;
};

struct slot {
    struct tenure *tenure; /* the latest */
    bool retired;
    uint32_t last; /* of a retired slot: the last clock that was used in it */
};

static struct spin lock; /* of everything below */
static struct thread *threads;
static uint32_t next_id;
static struct slot slots[NARROW_SLOTS];
static struct arena memory;

/* --- slots --- */

/* Is all that happened in the slot known to every running thread? */
static bool known_to_all(uint32_t slot, uint32_t last)
{
    for (struct thread *t = threads; t != NULL; t = t->next)
        if (t->running && load_relaxed(&t->clock[slot]) < last)
            return false;
    return true;
}

static bool take_retired(uint32_t *slot)
{
    for (uint32_t s = 0; s < thread_slots; s++)
        if (slots[s].retired && slots[s].last < NARROW_CLOCK_MAX && known_to_all(s, slots[s].last)) {
            slots[s].retired = false;
            *slot = s;
            return true;
        }
    return false;
}

static cold_path _Noreturn void out_of_slots(void)
{
    struct out out = {.fd = 2};
    out_text(&out, "photofinish: more than 1024 threads whose accesses are unordered: not supported in this version\n");
    out_flush(&out);
    sys_exit_process(EXIT_TOOL_FAILED);
}

/* Gives the thread a slot to count in. The lock is held. */
static void enter_slot_locked(struct thread *t)
{
    uint32_t slot, first;
    if (!take_retired(&slot)) {
        if (thread_slots == NARROW_SLOTS)
            out_of_slots();
        slot = thread_slots;
        store_release(&thread_slots, slot + 1);
    }
    first = slots[slot].last + 1;
    struct tenure *tenure = arena_take(&memory, sizeof *tenure);
    *tenure = (struct tenure){.first = first, .owner = t, .before = slots[slot].tenure};
    slots[slot].tenure = tenure;
    t->slot = slot;
    t->clock[slot] = first;
    t->actor.now = half_of(epoch_of(slot, first));
}

static void retire_slot_locked(struct thread *t)
{
    slots[t->slot].retired = true;
    slots[t->slot].last = t->clock[t->slot];
}

struct thread *thread_of_epoch(uint32_t half)
{
    epoch e = epoch_of_half(half);
    const struct tenure *tenure = slots[epoch_slot(e)].tenure;
    while (tenure != NULL && tenure->first > epoch_clock(e))
        tenure = tenure->before;
    return tenure != NULL ? tenure->owner : NULL;
}

void thread_tick(struct thread *t)
{
    uint32_t clock = t->clock[t->slot];
    if (likely(clock < NARROW_CLOCK_MAX)) {
        store_relaxed(&t->clock[t->slot], clock + 1);
        t->actor.now++;
    } else {
        spin_lock(&lock);
        retire_slot_locked(t);
        enter_slot_locked(t);
        spin_unlock(&lock);
    }
    if (t == thread_self)
        thread_now = t->actor.now;
}

/* --- life --- */

static struct thread *new_thread(void)
{
    struct thread *t = arena_pages(sizeof *t);
    t->actor.clock = t->clock;
    t->stack = t->top = arena_pages(STACK_BYTES);
    t->history = history_new();
    return t;
}

static void enlist(struct thread *t)
{
    spin_lock(&lock);
    t->id = next_id++;
    t->next = threads;
    threads = t;
    t->running = true;
    enter_slot_locked(t);
    spin_unlock(&lock);
}

/* For shadow/owner.h: a chunk's owner is written down as thread id + 1. */
static struct owner_view *view_of(uint32_t mine)
{
    spin_lock(&lock);
    struct thread *t = threads;
    while (t != NULL && t->id + 1 != mine)
        t = t->next;
    struct owner_view *view = t != NULL && t->running ? &t->actor.owner : NULL;
    spin_unlock(&lock);
    return view;
}

static void adopt(struct thread *t)
{
    owner_view_of = view_of;
    t->actor.owner.mine = t->id + 1;
    t->handle = (uintptr_t)pthread_self();
    t->kernel_id = (int)sys_call3(SYS_gettid, 0, 0, 0);
    thread_self = t;
    thread_now = t->actor.now;
}

/* We have not seen who created the thread (the main thread apart: there is nobody yet), only that somebody has: it
 * is taken to know what all running threads know. That may hide a race with its creator; it never invents one. */
static void learn_all(struct thread *t)
{
    spin_lock(&lock);
    for (struct thread *other = threads; other != NULL; other = other->next)
        if (other->running)
            vclock_join(t->clock, other->clock, thread_slots);
    spin_unlock(&lock);
}

struct thread *thread_current(void)
{
    if (likely(thread_self != NULL)) {
        access_flush(thread_self);
        return thread_self;
    }
    struct thread *t = new_thread();
    learn_all(t);
    enlist(t);
    if (host_adopted != NULL)
        host_adopted(t);
    adopt(t);
    start_adopted(t);
    return t;
}

struct thread *thread_prepare(struct thread *creator, uintptr_t pc)
{
    struct thread *t = new_thread();
    t->creating = true;
    vclock_join(t->clock, creator->clock, thread_slots); /* [FORK] */
    enlist(t);
    t->creator = creator->id;
    t->creation_node = stack_node_with(creator, pc);
    thread_tick(creator);
    if (host_forked != NULL)
        host_forked(creator, t);
    return t;
}

static void end(struct thread *t)
{
    spin_lock(&lock);
    t->running = false;
    retire_slot_locked(t);
    spin_unlock(&lock);
}

void thread_abandon(struct thread *t)
{
    end(t);
    if (host_gone != NULL)
        host_gone(t);
    t->creating = false;
}

void thread_started(struct thread *t, uintptr_t handle)
{
    store_relaxed(&t->handle, handle); /* the new thread writes the same when it begins */
    store_release(&t->creating, false);
}

/* Stacks are used again, by threads that know nothing of each other: their shadow begins empty. The block also
 * holds the thread's static TLS. */
static void clear_stack(struct thread *t)
{
    pthread_attr_t attributes;
    void *address;
    size_t size;
    t->inside++;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &address, &size) == 0)
            shadow_clear((uintptr_t)address, size);
        pthread_attr_destroy(&attributes);
    }
    t->inside--;
}

void thread_begin(struct thread *t)
{
    adopt(t);
    clear_stack(t);
}

void thread_end(struct thread *t)
{
    t->inside++; /* for good: what the C library still does in it is not the program's */
    thread_now = 0;
    end(t);
    if (host_gone != NULL && t->detached)
        host_gone(t);
}

struct thread *thread_first(void)
{
    return load_acquire(&threads);
}

struct thread *thread_by_handle(uintptr_t handle)
{
    spin_lock(&lock);
    struct thread *t = threads;
    while (t != NULL && (t->handle != handle || t->detached))
        t = t->next;
    spin_unlock(&lock);
    return t;
}

/* [JOIN]  the ended thread's clock moves no more, and the join ordered us after its last change. */
void thread_joined(struct thread *joiner, struct thread *ended)
{
    if (ended->running) /* it could not tell of its end */
        end(ended);
    vclock_join(joiner->clock, ended->clock, thread_slots);
    ended->detached = true;
    if (host_joined != NULL)
        host_joined(joiner, ended);
}

void thread_detach(struct thread *t)
{
    t->detached = true;
    if (host_gone != NULL && !t->running)
        host_gone(t);
}
