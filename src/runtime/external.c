/* The parts of TSan's interface that are for other languages' runtimes and for its own tests: objects whose
 * accesses a library tells us of, Java's heap and monitors. */
#include <linux/futex.h>

#include "runtime/intercept/caller.h"
#include "runtime/stack.h"
#include "runtime/world.h"

#define ENTRY __attribute__((visibility("default")))

/* --- external objects: one byte stands for the whole object --- */

enum { FIRST_TAG = 3, MOST_TAGS = 128 }; /* TSan has some of its own before the first */

static struct {
    const char *name, *header;
} tags[MOST_TAGS];
static uintptr_t tag_count = FIRST_TAG;

/* NULL: there are too many. */
ENTRY void *__tsan_external_register_tag(const char *name);
ENTRY void *__tsan_external_register_tag(const char *name)
{
    uintptr_t tag = add_acq_rel(&tag_count, 1);
    if (tag >= MOST_TAGS)
        return NULL;
    tags[tag].name = name;
    return (void *)tag;
}

ENTRY void __tsan_external_register_header(void *tag, const char *header);
ENTRY void __tsan_external_register_header(void *tag, const char *header)
{
    if ((uintptr_t)tag < MOST_TAGS)
        tags[(uintptr_t)tag].header = header;
}

/* The report says what the memory is by its block. */
ENTRY void __tsan_external_assign_tag(void *object, void *tag);
ENTRY void __tsan_external_assign_tag(void *object, void *tag)
{
    (void)object, (void)tag;
}

ENTRY void __tsan_external_read(void *object, void *pc, void *tag);
ENTRY void __tsan_external_read(void *object, void *pc, void *tag)
{
    (void)tag;
    access_slow((uintptr_t)object, 1, PLAIN_READ, pc != NULL ? (uintptr_t)pc : CALLER_PC);
}

ENTRY void __tsan_external_write(void *object, void *pc, void *tag);
ENTRY void __tsan_external_write(void *object, void *pc, void *tag)
{
    (void)tag;
    access_slow((uintptr_t)object, 1, PLAIN_WRITE, pc != NULL ? (uintptr_t)pc : CALLER_PC);
}

/* --- Java: a heap that somebody else keeps, and monitors in it --- */

void __tsan_mutex_pre_lock(void *mutex, unsigned flags);
void __tsan_mutex_post_lock(void *mutex, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void *mutex, unsigned flags);
void __tsan_mutex_post_unlock(void *mutex, unsigned flags);
void __tsan_acquire(void *address);
void __tsan_release(void *address);

enum { READ_LOCK = 1 << 3, RECURSIVE_LOCK = 1 << 6, RECURSIVE_UNLOCK = 1 << 7 };

static void begin_anew(uintptr_t address, size_t size)
{
    struct thread *t = caller();
    if (t == NULL || size == 0)
        return;
    access_flush_at(t, address, size);
    world_clear(address, size);
}

ENTRY void __tsan_java_init(uintptr_t heap, size_t size);
ENTRY void __tsan_java_init(uintptr_t heap, size_t size)
{
    begin_anew(heap, size);
}

ENTRY int __tsan_java_fini(void);
ENTRY int __tsan_java_fini(void)
{
    return 0;
}

ENTRY void __tsan_java_alloc(uintptr_t address, size_t size);
ENTRY void __tsan_java_alloc(uintptr_t address, size_t size)
{
    begin_anew(address, size);
}

ENTRY void __tsan_java_free(uintptr_t address, size_t size);
ENTRY void __tsan_java_free(uintptr_t address, size_t size)
{
    begin_anew(address, size);
}

/* While all of Java's threads stand still. */
ENTRY void __tsan_java_move(uintptr_t from, uintptr_t to, size_t size);
ENTRY void __tsan_java_move(uintptr_t from, uintptr_t to, size_t size)
{
    struct thread *t = caller();
    if (t == NULL || size == 0 || from == to)
        return;
    access_flush_at(t, from, size);
    world_enter(t);
    shadow_move(from, to, size);
    world_leave(t);
    if (from < to)
        begin_anew(from, min_size(size, to - from));
    else
        begin_anew(from + size - min_size(size, from - to), min_size(size, from - to));
}

ENTRY void __tsan_java_finalize(void);
ENTRY void __tsan_java_finalize(void)
{
}

/* The first block in the range: not known, since the heap is not ours. */
ENTRY uintptr_t __tsan_java_find(uintptr_t *from, uintptr_t to);
ENTRY uintptr_t __tsan_java_find(uintptr_t *from, uintptr_t to)
{
    (void)from, (void)to;
    return 0;
}

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

/* --- a runtime's own names for places; a program may define them --- */

#define ENTRY_WEAK __attribute__((visibility("default"), weak))

ENTRY_WEAK bool __tsan_symbolize_external(uintptr_t pc, char *function, size_t function_size, char *file,
                                          size_t file_size, int *line, int *column);
ENTRY_WEAK bool __tsan_symbolize_external(uintptr_t pc, char *function, size_t function_size, char *file,
                                          size_t file_size, int *line, int *column)
{
    (void)pc, (void)function, (void)function_size, (void)file, (void)file_size, (void)line, (void)column;
    return false;
}

ENTRY_WEAK void __tsan_symbolize_external_ex(uintptr_t pc,
                                             void (*add_frame)(void *, const char *, const char *, int, int),
                                             void *context);
ENTRY_WEAK void __tsan_symbolize_external_ex(uintptr_t pc,
                                             void (*add_frame)(void *, const char *, const char *, int, int),
                                             void *context)
{
    (void)pc, (void)add_frame, (void)context;
}

/* --- a mistake that is not a race --- */

ENTRY void __tsan_check_no_mutexes_held(void);
ENTRY void __tsan_check_no_mutexes_held(void)
{
}

/* --- TSan's own tests: a barrier that orders nothing for the detector --- */

struct barrier {
    uint32_t count; /* how many threads have come, in all rounds */
    uint32_t threads;
};

ENTRY size_t __tsan_testonly_shadow_stack_current_size(void);
ENTRY size_t __tsan_testonly_shadow_stack_current_size(void)
{
    const struct thread *t = thread_current();
    return (size_t)(t->top - t->stack);
}

ENTRY void __tsan_testonly_barrier_init(struct barrier *barrier, uint32_t threads);
ENTRY void __tsan_testonly_barrier_init(struct barrier *barrier, uint32_t threads)
{
    store_relaxed(&barrier->count, 0);
    barrier->threads = threads;
}

ENTRY void __tsan_testonly_barrier_wait(struct barrier *barrier);
ENTRY void __tsan_testonly_barrier_wait(struct barrier *barrier)
{
    uint32_t before = add_acq_rel(&barrier->count, 1), round = before / barrier->threads;
    for (uint32_t now; (now = load_acquire(&barrier->count)) / barrier->threads == round;)
        sys_call6(SYS_futex, (long)&barrier->count, FUTEX_WAIT_PRIVATE, now, 0, 0, 0);
    if (before % barrier->threads == barrier->threads - 1)
        sys_call3(SYS_futex, (long)&barrier->count, FUTEX_WAKE_PRIVATE, INT32_MAX);
}
