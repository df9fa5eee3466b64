/* <tsan_interface_java.h>: a heap that somebody else keeps, with objects that move, and monitors in them.
 *
 * Addresses and sizes are multiples of 8, and threads that use the heap stand still while objects move or are freed.
 * Objects are in the heap's book (runtime/heap.h) from __tsan_java_alloc on: reports name them, and
 * __tsan_java_find finds them.
 */
#include "runtime/heap.h"
#include "runtime/history.h"
#include "runtime/intercept/caller.h"
#include "runtime/intercept/held.h"
#include "runtime/stack.h"
#include "runtime/world.h"

#define ENTRY __attribute__((visibility("default")))

void __tsan_mutex_pre_lock(void *mutex, unsigned flags);
void __tsan_mutex_post_lock(void *mutex, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void *mutex, unsigned flags);
void __tsan_mutex_post_unlock(void *mutex, unsigned flags);
void __tsan_acquire(void *address);
void __tsan_release(void *address);

enum { READ_LOCK = 1 << 3, RECURSIVE_LOCK = 1 << 6, RECURSIVE_UNLOCK = 1 << 7 };

/* --- objects --- */

/* Nothing is there any more: no object, no access, no monitor. */
static void begin_anew(struct thread *t, uintptr_t address, size_t size)
{
    const struct heap_end silent = {.pc = 0};
    if (size == 0)
        return;
    t->inside++;
    size_t bytes;
    for (uintptr_t at = address; heap_next(&at, address + size, &bytes); at += 8)
        heap_remove(at, &silent, &bytes);
    world_clear(address, size);
    thread_outside(t);
}

#define RANGE(name, step)                                                                                    \
    ENTRY void name(uintptr_t address, size_t size);                                                         \
    ENTRY void name(uintptr_t address, size_t size)                                                          \
    {                                                                                                        \
        struct thread *t = caller();                                                                         \
        if (t != NULL)                                                                                       \
            step;                                                                                            \
    }

static void add_object(struct thread *t, uintptr_t address, size_t size, uintptr_t pc)
{
    begin_anew(t, address, size);
    t->inside++;
    heap_add(&(struct heap_block){
        .address = address, .size = size, .node = stack_node_with(t, pc), .thread = t->id});
    thread_outside(t);
}

RANGE(__tsan_java_init, begin_anew(t, address, size))
RANGE(__tsan_java_alloc, add_object(t, address, size, CALLER_PC))
RANGE(__tsan_java_free, begin_anew(t, address, size))

/* The status that the process shall exit with; the end of the process makes it 66 where there were races. */
ENTRY int __tsan_java_fini(void);
ENTRY int __tsan_java_fini(void)
{
    return 0;
}

/* The size of the first object that begins in [*from, to), and its address in *from; 0: there is none. */
ENTRY size_t __tsan_java_find(uintptr_t *from, uintptr_t to);
ENTRY size_t __tsan_java_find(uintptr_t *from, uintptr_t to)
{
    size_t size;
    return caller() != NULL && heap_next(from, to, &size) ? size : 0;
}

/* --- moving --- */

/* To a place that does not overlap. */
static void move_apart(struct thread *t, uintptr_t from, uintptr_t to, size_t size)
{
    world_enter(t);
    shadow_move(from, to, size);
    history_moved(from, to, size);
    heap_move(from, to, size);
    world_leave(t);
    world_clear(from, size);
}

/* Monitors that threads hold go by their new addresses. */
static void move_held(uintptr_t from, uintptr_t to, size_t size)
{
    spin_lock(&registry.lock);
    for (struct thread *t = registry.running; t != NULL; t = t->next_running)
        for (uint32_t i = 0; i < t->held_count; i++)
            if (held_lock(t->held[i]) - from < size)
                t->held[i] += to - from;
    spin_unlock(&registry.lock);
}

/* A part at a time, each as large as the distance, and first what lies in the direction in which all of it goes. */
static void move(struct thread *t, uintptr_t from, uintptr_t to, size_t size)
{
    size_t distance = from < to ? to - from : from - to;
    for (size_t done = 0, part; done < size; done += part) {
        part = min_size(size - done, distance);
        size_t offset = from < to ? size - done - part : done;
        move_apart(t, from + offset, to + offset, part);
    }
}

ENTRY void __tsan_java_move(uintptr_t from, uintptr_t to, size_t size);
ENTRY void __tsan_java_move(uintptr_t from, uintptr_t to, size_t size)
{
    struct thread *t = caller();
    if (t == NULL || size == 0 || from == to)
        return;
    if (from < to)
        begin_anew(t, to + size - min_size(size, to - from), min_size(size, to - from));
    else
        begin_anew(t, to, min_size(size, from - to));
    t->inside++;
    move(t, from, to, size);
    move_held(from, to, size);
    t->era++;
    thread_outside(t);
}

/* --- finalizers --- */

/* What any thread did before happens before what finalizers do, which this thread is about to call. */
ENTRY void __tsan_java_finalize(void);
ENTRY void __tsan_java_finalize(void)
{
    struct thread *t = caller();
    if (t == NULL || t->ignore_sync != 0)
        return;
    t->inside++;
    thread_learn_all(t);
    thread_outside(t);
}

/* --- monitors --- */

static void lock(uintptr_t monitor, unsigned flags, int levels)
{
    __tsan_mutex_pre_lock((void *)monitor, flags);
    __tsan_mutex_post_lock((void *)monitor, flags, levels);
}

static int unlock(uintptr_t monitor, unsigned flags)
{
    int levels = __tsan_mutex_pre_unlock((void *)monitor, flags);
    __tsan_mutex_post_unlock((void *)monitor, flags);
    return levels;
}

#define MONITOR(name, call)                                                                                  \
    ENTRY void name(uintptr_t monitor);                                                                      \
    ENTRY void name(uintptr_t monitor)                                                                       \
    {                                                                                                        \
        call;                                                                                                \
    }

MONITOR(__tsan_java_mutex_lock, lock(monitor, 0, 0))
MONITOR(__tsan_java_mutex_unlock, unlock(monitor, 0))
MONITOR(__tsan_java_mutex_read_lock, lock(monitor, READ_LOCK, 0))
MONITOR(__tsan_java_mutex_read_unlock, unlock(monitor, READ_LOCK))
MONITOR(__tsan_java_acquire, __tsan_acquire((void *)monitor))
MONITOR(__tsan_java_release, __tsan_release((void *)monitor))
MONITOR(__tsan_java_release_store, __tsan_release((void *)monitor))

ENTRY void __tsan_java_mutex_lock_rec(uintptr_t monitor, int levels);
ENTRY void __tsan_java_mutex_lock_rec(uintptr_t monitor, int levels)
{
    lock(monitor, RECURSIVE_LOCK, levels);
}

ENTRY int __tsan_java_mutex_unlock_rec(uintptr_t monitor);
ENTRY int __tsan_java_mutex_unlock_rec(uintptr_t monitor)
{
    return unlock(monitor, RECURSIVE_UNLOCK);
}
