/* The parts of TSan's interface that are for other languages' runtimes and for its own tests: objects whose
 * accesses a library tells us of, names for places, a barrier that the detector does not see. Java's is in java.c. */
#include <linux/futex.h>

#include "base/out.h"
#include "runtime/intercept/caller.h"
#include "runtime/stack.h"

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

/* --- TSan's own tests: a barrier that orders nothing for the detector ---
 *
 * It is the test's memory: 4 bytes since LLVM 14, 8 before. The state is in the low 4 of them, and no other byte is
 * touched: how many threads it is for, how many have come in this round, and the number of the round. */

enum { BARRIER_BITS = 10, BARRIER_MOST = (1 << BARRIER_BITS) - 1 };

static uint32_t barrier_round(uint32_t state)
{
    return state >> 2 * BARRIER_BITS;
}

/* One more has come. The last of a round begins the next, in which nobody has. */
static uint32_t barrier_arrive(uint32_t state)
{
    uint32_t threads = state & BARRIER_MOST, arrived = (state >> BARRIER_BITS & BARRIER_MOST) + 1;
    if (arrived < threads)
        return state + (1 << BARRIER_BITS);
    return threads | (barrier_round(state) + 1) << 2 * BARRIER_BITS;
}

ENTRY size_t __tsan_testonly_shadow_stack_current_size(void);
ENTRY size_t __tsan_testonly_shadow_stack_current_size(void)
{
    const struct thread *t = thread_current();
    return (size_t)(t->top - t->stack);
}

ENTRY void __tsan_testonly_barrier_init(uint32_t *barrier, uint32_t threads);
ENTRY void __tsan_testonly_barrier_init(uint32_t *barrier, uint32_t threads)
{
    if (threads > BARRIER_MOST) {
        struct out out = {.fd = 2};
        out_text(&out, "photofinish: __tsan_testonly_barrier_init: a barrier is for at most ");
        out_number(&out, BARRIER_MOST);
        out_text(&out, " threads\n");
        out_flush(&out);
        sys_exit_process(EXIT_TOOL_FAILED);
    }
    store_relaxed(barrier, threads);
}

ENTRY void __tsan_testonly_barrier_wait(uint32_t *barrier);
ENTRY void __tsan_testonly_barrier_wait(uint32_t *barrier)
{
    uint32_t before = load_acquire(barrier), now;
    do
        now = barrier_arrive(before);
    while (!cas_acq_rel(barrier, &before, now));
    if (barrier_round(now) != barrier_round(before)) {
        sys_call3(SYS_futex, (long)barrier, FUTEX_WAKE_PRIVATE, INT32_MAX);
        return;
    }
    while (barrier_round(now) == barrier_round(before)) {
        sys_call6(SYS_futex, (long)barrier, FUTEX_WAIT_PRIVATE, now, 0, 0, 0);
        now = load_acquire(barrier);
    }
}
