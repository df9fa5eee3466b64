/* The threads of the program under test: their clocks, call stacks and histories.
 *
 * Rules for all code in this room (it runs inside the program under test, at any point of it):
 *   - nothing of libc that allocates, locks, or may be intercepted; memory from base/arena.h, output from
 *     base/out.h, system calls from base/sys.h
 *   - errno is as before when control goes back to the program
 *   - a thread that is inside the runtime (thread->inside > 0) does not check accesses
 *
 *   - whatever touches the shadow, clocks or sync objects is between world_enter and world_leave
 *     (runtime/world.h), and waits there for no thread of the program
 *
 * A thread counts in a slot of the vector clocks (runtime/slots.h). Between losing one and the next
 * world_enter it has none: then its epoch is NOT_NARROW, which no word holds.
 *
 * A thread that has ended is forgotten, and its memory used for another, when nobody can ask for it any more:
 * it was joined or detached, and none of its accesses can race.
 */
#pragma once

#include "clock/mailbox.h"
#include "shadow/access.h"

/* Nodes that the thread asked for lately, by the call's return address (runtime/stack.c). */
enum { CALLS_KNOWN = 32 };
struct known_call {
    uintptr_t pc;
    uint32_t parent, node;
};

struct frame {
    uintptr_t pc;  /* return address of the call */
    uint32_t node; /* in the call tree (runtime/stack.h); 0 until somebody asks */
    uint32_t sp;   /* of the function, low half, less the return address of our entry point (stack_cut) */
};
_Static_assert(sizeof(struct frame) == 16, "the stack pointer is where there was a gap");

/* Where the thread's next entry of the history goes (runtime/history.h). The owner writes it; reporters read `next`. */
struct history_writer {
    struct entry *next, *stop; /* stop: the end of the block */
    uint32_t node;         /* stack of the accesses that follow, if they need no new context; or NO_CONTEXT */
    uint32_t context_node; /* what the last context entry says; NO_CONTEXT: a new one is due */
    uint32_t fold_failures; /* in a row (runtime/history.c) */
    uint32_t fold_rest;     /* blocks until the next try */
};
enum { NO_CONTEXT = UINT32_MAX };

/* What the thread has checked in its epoch, of the accesses of loops (runtime/loops.c): elements of `size`
 * bytes, `stride` bytes apart, from `first` to before `end`. */
struct checked_range {
    uintptr_t first, end;
    uint64_t when; /* checked_now() */
    uint32_t size, stride;
};
enum { CHECKED = 64 };

/* Where the runtime's memory of a lock was when the thread last took it: a hint (runtime/intercept/lock.c). */
struct lock_place {
    uintptr_t lock;
    const void *record, *sync, *clock;
};
enum { LOCKS_KNOWN = 64 };

enum { SIGNALS_QUEUED = 4 };

/* What a signal handler has interrupted (thread_handler_begins). */
struct interrupted {
    struct frame *top;
    uint32_t ignore_reads, ignore_writes, ignore_sync;
    uint32_t count; /* of handlers that it is inside of */
};
enum { INTERRUPTED = 8 };

struct thread {
    struct actor actor; /* now, clock: hot */
    uint32_t working;   /* world_enter without its world_leave: how often */
    uint32_t attend;    /* enum attend (runtime/world.h); written under the registry's lock */
    uint32_t slot, id;
    uint32_t checks;       /* by the slow path, ever */
    uint32_t held_changes; /* how often it has locked and unlocked (runtime/intercept/held.h) */
    uint32_t ignore_reads; /* how many annotations ask to. This and the next three: thread_unchecked() */
    uint16_t inside;       /* the runtime: how deep */
    bool single_threaded;  /* the only thread: its accesses are not checked (runtime/single_threaded.h) */
    uint32_t ignore_writes;
    uint32_t ignore_sync;
    uint32_t in_allocator; /* thread_allocator_begin without its end: how often; part of all three above */
    uint32_t *shown_epoch; /* its thread_now, while it is */
    struct frame *top;     /* the innermost frame; grows upwards from `stack` */
    struct frame *stack, *stack_end;
    struct history *history;
    struct history_writer log;
    uint32_t era; /* goes on where what was checked before says nothing of what is there now: the thread has
                   * got memory, or has given some back, or counts in another slot, where the names of epochs
                   * may come again */
    struct known_call calls[CALLS_KNOWN];
    struct heap_list *heap; /* what it gave back last (runtime/heap.c) */

    struct thread *next, *previous;                 /* registry.all; `next` also in the list of free ones */
    struct thread *next_running, *previous_running; /* registry.running */
    struct thread *next_named;                      /* with the same hash of its handle */
    uintptr_t handle;                               /* pthread_t */
    uint32_t slots_held;                            /* slots of which it is the latest owner */
    bool running, detached;                         /* under the registry's lock */
    bool joined;                                    /* and so really gone */
    bool named;                                     /* can be found by its handle */
    bool adopted;                                   /* nobody was seen to create it */
    /* Likewise, though other threads were known by then, and no call of ours accounts for it; or the runtime came too late
     * to check it. */
    bool unseen;
    bool callback;    /* the C library has created it to call a function of the program's (SIGEV_THREAD) */
    bool creating;    /* its creator is not done with it: not to be used for another thread */
    bool ended;       /* for the thread itself: nothing of it is the program's any more */
    bool shrunk;      /* it has ended, and only what it did is still of interest, not what it knew */
    bool forking;     /* it has stopped the world */
    void *alternate;  /* stack for signal handlers (runtime/intercept/alternate.c) */
    uint64_t signals; /* that are blocked while it creates a thread, as they were before */
    struct {
        bool waits;      /* a signal does, and all are blocked */
        bool steps;      /* on the way out */
        bool open, here; /* handlers run at once: the thread waits for others; it is about to get one */
        uint64_t mask;   /* of signals, as it was */
        uint64_t since, rest_until; /* in cycles: when it began to step; when it may again */
        uint64_t info[16];          /* siginfo_t */
        int process;                /* that it was sent to: a fork may follow */
        uint32_t queued; /* those that were sent again, and shall come before what came meanwhile */
        uint64_t queue[SIGNALS_QUEUED][16];
    } put_off;              /* runtime/signals.h */
    struct thread *home;    /* of a fiber: what the kernel's thread that runs it began as (runtime/fiber.c) */
    uint64_t slept_at_exit; /* its processor time then, plus 1 (runtime/exit_wait.c) */
    uint32_t begun;         /* it has come to the program's function; a futex */
    uint32_t creator;       /* id */
    uint32_t creation_node; /* stack of its pthread_create */
    int kernel_id;
    char name[16];
    struct mailbox fenced;    /* what it knew at its last release fence (runtime/atomic_sync.h) */
    struct mailbox loaded;    /* what its relaxed atomic loads saw, for its next acquire fence */
    struct host_thread *host; /* what the generic host keeps of it */
    uint32_t held_count, held_room;
    uintptr_t *held; /* locks (runtime/intercept/held.h) */
    uint32_t waited; /* for a mutex, ever (runtime/intercept/mutex.c) */
    uint32_t interrupted_count;
    uint32_t handlers;                           /* of signals that have begun here, ever */
    struct interrupted interrupted[INTERRUPTED]; /* by signal handlers that run, the outermost first */
    uint32_t hook_kept; /* what a hook before a system call leaves for the one after it */
    struct {
        const volatile void *control;
        void (*initializer)(void);
        struct once_attempt *innermost; /* that is under way */
    } once;                             /* what it is about to initialize (runtime/intercept/once.c) */
    uintptr_t starts_at; /* where it calls the C++ library to start a thread (intercept/std_thread.c), or 0 */
    uint64_t ignored;    /* regions without checks that the program has asked for, ever */
    /* vector clock: halves (shadow/half.h). Only what is in use is ever touched */
    uint32_t clock[MOST_SLOTS];
    struct checked_range checked[2][CHECKED]; /* reads, writes. Likewise */
    struct lock_place locks[LOCKS_KNOWN];     /* by address. Likewise */
};

/* All threads that have not been forgotten, and those that run or are about to. */
struct registry {
    struct spin lock;
    struct thread *all, *running;
};

extern HIDDEN struct registry registry;

/* The calling thread, and a copy of its actor.now for the entry points. Initial-exec: two loads. The copy has
 * a name that checks in the program's own code know it by (src/place/emit.cpp). */
extern HIDDEN __thread struct thread *thread_self __attribute__((tls_model("initial-exec")));
extern __thread uint32_t thread_now __asm__("__pf_epoch")
    __attribute__((tls_model("initial-exec"), visibility("default")));

/* How many entries of vector clocks are in use. */
extern HIDDEN uint32_t thread_slots;

/* The calling thread; makes it known (as a root) if it was not. */
HIDDEN struct thread *thread_current(void);

/* Makes the calling thread known: the C library has created it to call a function of the program's. It knows nothing of what
 * other threads did. */
HIDDEN void thread_begin_callback(void);

/* A thread that the current one is about to create: it knows what its creator knows. */
HIDDEN struct thread *thread_prepare(struct thread *creator, uintptr_t pc);
HIDDEN void thread_abandon(struct thread *prepared);                   /* it could not be created */
HIDDEN void thread_started(struct thread *prepared, uintptr_t handle); /* it was: the creator's last step */
HIDDEN void thread_begin(struct thread *prepared);                     /* first thing in the new thread */
HIDDEN void thread_end(struct thread *self); /* last thing in it; it stays inside the runtime */

/* Whatever any thread has done by now is before all that this one will do. What a running thread does before it
 * next releases anything counts as done. */
HIDDEN void thread_learn_all(struct thread *t);

HIDDEN struct thread *thread_by_handle(uintptr_t handle);
/* Has instrumented code run in a thread that is `unseen`? Then not all that it did was checked. */
HIDDEN bool thread_any_unseen(void);

/* The program makes a thread by hand that shares its creator's identity: what it does cannot be told apart. */
HIDDEN void thread_unseen_made(void);

/* After a join of a thread that was not known before it: one that was first seen while it was waited for, and has
 * ended; or NULL. */
HIDDEN struct thread *thread_adopted_meanwhile(uintptr_t handle);
HIDDEN void thread_joined(struct thread *joiner, struct thread *ended, uintptr_t pc);
HIDDEN void thread_detach(struct thread *thread);

/* If nobody can ask for the thread any more, it is forgotten. */
HIDDEN void thread_forget_locked(struct thread *thread);

/* A thread that has ended and will not be joined gives back what memory it can before it is forgotten. */
HIDDEN void thread_shrink_locked(struct thread *thread);

/* In the child of a fork: of all threads there is only this one left. The copy of the memory that it goes on
 * with was made after whatever the others did. */
HIDDEN void thread_forked_locked(struct thread *self);

/* The registry, by `next`: for reports. */
HIDDEN struct thread *thread_first(void);

/* Who counted in this slot at this clock; NULL when that is no longer known. */
HIDDEN struct thread *thread_of_epoch(uint32_t half);

/* Where there is a heap (runtime/heap.c): its list is for another thread. */
__attribute__((weak)) HIDDEN void heap_thread_ends(struct thread *t);

/* For the generic host (runtime/host/), in the library that has it: told of what orders threads. A thread is
 * adopted when it is first seen and we have not created it; it has ended when it does nothing more that
 * counts; gone when it has ended and nobody can join it. Joined and gone come before the thread is forgotten,
 * perhaps with the registry's lock held. */
__attribute__((weak)) HIDDEN void host_adopted(struct thread *t);
__attribute__((weak)) HIDDEN void host_forked(struct thread *creator, struct thread *t);
__attribute__((weak)) HIDDEN void host_ended(struct thread *t);
__attribute__((weak)) HIDDEN void host_joined(struct thread *joiner, struct thread *ended);
__attribute__((weak)) HIDDEN void host_gone(struct thread *t);
__attribute__((weak)) HIDDEN void host_learned_all(struct thread *t); /* thread_learn_all() */
/* Around whatever copies the process (runtime/world.h): its lock is held in between, in both. */
__attribute__((weak)) HIDDEN void host_before_fork(void);
__attribute__((weak)) HIDDEN void host_after_fork(void);
__attribute__((weak)) HIDDEN void host_after_fork_in_child(void);

/* After a release: everything later is in a new epoch. */
HIDDEN void thread_tick(struct thread *t);

/* Is there a reason not to check the thread's accesses of this kind, or not on a fast path? Either kind's count lies beside
 * what concerns both: one comparison. */
hot_inline bool thread_unchecked(const struct thread *t, enum access_kind kind)
{
    uint64_t reasons;
    _Static_assert(offsetof(struct thread, inside) == offsetof(struct thread, ignore_reads) + 4 &&
                       offsetof(struct thread, ignore_writes) == offsetof(struct thread, inside) + 4,
                   "reads, both, writes");
    __builtin_memcpy(&reasons, kind_writes(kind) ? (const char *)&t->inside : (const char *)&t->ignore_reads,
                     sizeof reasons);
    return unlikely(reasons != 0);
}

/* In this epoch and era. */
hot_inline uint64_t checked_now(const struct thread *t)
{
    return (uint64_t)t->era << 32 | t->actor.now;
}

/* Are such accesses of the thread left out? An annotation has asked for it, or the thread is alone. */
hot_inline bool thread_ignores(const struct thread *t, enum access_kind kind)
{
    return unlikely((kind_writes(kind) ? t->ignore_writes : t->ignore_reads) != 0) ||
           unlikely(t->single_threaded);
}

hot_inline void thread_ignore_begin(struct thread *t)
{
    t->ignore_reads++;
    t->ignore_writes++;
}

hot_inline void thread_ignore_end(struct thread *t)
{
    t->ignore_reads -= t->ignore_reads > 0;
    t->ignore_writes -= t->ignore_writes > 0;
}

/* --- inside the allocator ---
 *
 * The allocator's locks and atomics order nothing for the program, and its own memory is not the program's: between
 * begin and end the thread's synchronization has no effect and its accesses are not checked. Code of the program
 * that runs there (a signal handler) is between suspend and resume; if it jumps out of the allocator, nothing is
 * left to undo. */
hot_inline void thread_allocator_add(struct thread *t, uint32_t depth)
{
    t->in_allocator += depth;
    t->ignore_sync += depth;
    t->ignore_reads += depth;
    t->ignore_writes += depth;
}

/* The calling thread; NULL if it is not known yet. */
hot_inline struct thread *thread_allocator_begin(void)
{
    struct thread *t = thread_self;
    if (likely(t != NULL))
        thread_allocator_add(t, 1);
    return t;
}

hot_inline void thread_allocator_end(struct thread *t)
{
    if (likely(t != NULL))
        thread_allocator_add(t, -1u);
}

hot_inline uint32_t thread_allocator_suspend(struct thread *t)
{
    uint32_t depth = t->in_allocator;
    thread_allocator_add(t, -depth);
    return depth;
}

hot_inline void thread_allocator_resume(struct thread *t, uint32_t depth)
{
    thread_allocator_add(t, depth);
}

/* --- in a signal handler ---
 *
 * A handler is none of the code that it interrupts: regions in which accesses or synchronization are ignored, and the
 * allocator, end where it begins. They go on when it returns, and the regions also when it jumps away. */
hot_inline void thread_ignore_as(struct thread *t, const struct interrupted *i)
{
    t->ignore_reads = i->ignore_reads;
    t->ignore_writes = i->ignore_writes;
    t->ignore_sync = i->ignore_sync;
    t->in_allocator = 0;
}

/* What it has interrupted, without the allocator. Only the outermost few are kept for jumps. */
hot_inline struct interrupted thread_handler_begins(struct thread *t)
{
    uint32_t count = t->interrupted_count;
    store_relaxed(&t->handlers, t->handlers + 1);
    while (count > 0 &&
           t->interrupted[count - 1].top >= t->top) /* was left by a jump that we have not seen */
        count--;
    struct interrupted i = {.top = t->top,
                            .ignore_reads = t->ignore_reads,
                            .ignore_writes = t->ignore_writes,
                            .ignore_sync = t->ignore_sync,
                            .count = count};
    if (count < INTERRUPTED)
        t->interrupted[count++] = i;
    t->interrupted_count = count;
    t->ignore_reads = t->ignore_writes = t->ignore_sync = 0;
    return i;
}

hot_inline void thread_handler_returns(struct thread *t, const struct interrupted *i)
{
    thread_ignore_as(t, i);
    t->interrupted_count = i->count;
}

/* The call stack was cut: handlers whose frames are gone have jumped away. */
hot_inline void thread_handlers_left(struct thread *t)
{
    while (unlikely(t->interrupted_count > 0) && t->top <= t->interrupted[t->interrupted_count - 1].top)
        thread_ignore_as(t, &t->interrupted[--t->interrupted_count]);
}

/* --- inside the runtime --- */

/* A signal handler was put off while the thread was inside (runtime/signals.h). */
HIDDEN void signals_due(struct thread *t);

/* Takes back one inside++. */
hot_inline void thread_outside(struct thread *t)
{
    t->inside--;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (unlikely(t->put_off.waits) && t->inside == 0 && t->working == 0)
        signals_due(t);
}

hot_inline epoch thread_epoch(const struct thread *t)
{
    return epoch_of(t->slot, t->actor.now);
}
