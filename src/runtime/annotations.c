/* Dynamic annotations: the functions that <dynamic_annotations.h> of various projects calls.
 *
 * Each takes the file and line of its call first. Some mean something to us; the others exist to be linked.
 * State: the list of memory that is annotated as benign, under its lock. It is looked at only when a race was
 * found and when memory is freed.
 */
#include "runtime/annotations.h"

#include "runtime/intercept/caller.h"
#include "runtime/intercept/held.h"
#include "runtime/options.h"
#include "runtime/past_sync.h"
#include "runtime/sync.h"
#include "runtime/world.h"

#define ENTRY __attribute__((visibility("default")))
#define PLACE const char *file, int line

/* The calling thread; NULL: annotations mean nothing now. */
static struct thread *annotator(void)
{
    return runtime_options.enable_annotations ? caller() : NULL;
}

/* --- memory whose races are benign --- */

struct benign {
    uintptr_t from, to;
    struct benign *next;
};

static struct spin lock;
struct benign *annotations_first;
static struct benign *unused;
static struct arena memory;

bool annotations_benign(uintptr_t address)
{
    if (likely(load_relaxed(&annotations_first) == NULL))
        return false;
    spin_lock(&lock);
    const struct benign *b = annotations_first;
    while (b != NULL && !(address >= b->from && address < b->to))
        b = b->next;
    spin_unlock(&lock);
    return b != NULL;
}

uint64_t annotations_benign_count(void)
{
    uint64_t count = 0;
    spin_lock(&lock);
    for (const struct benign *b = annotations_first; b != NULL; b = b->next)
        count++;
    spin_unlock(&lock);
    return count;
}

static void add_benign_locked(uintptr_t from, uintptr_t to)
{
    struct benign *b = unused;
    if (b != NULL)
        unused = b->next;
    else
        b = arena_take(&memory, sizeof *b);
    *b = (struct benign){from, to, annotations_first};
    store_relaxed(&annotations_first, b);
}

void annotations_forget(uintptr_t address, size_t size)
{
    if (likely(load_relaxed(&annotations_first) == NULL))
        return;
    spin_lock(&lock);
    uintptr_t end = address + size;
    for (struct benign **link = &annotations_first, *b = *link; b != NULL; b = *link) {
        if (b->to <= address || b->from >= end) {
            link = &b->next;
            continue;
        }
        uintptr_t from = b->from, to = b->to;
        store_relaxed(link, b->next);
        b->next = unused;
        unused = b;
        if (from < address) /* what lies outside stays annotated; both ends come before `link` in the list */
            add_benign_locked(from, address);
        if (to > end)
            add_benign_locked(end, to);
    }
    spin_unlock(&lock);
}

static void annotate_benign(uintptr_t address, size_t size)
{
    struct thread *t = annotator();
    if (t == NULL || size == 0)
        return;
    t->inside++;
    world_enter(t);
    spin_lock(&lock);
    add_benign_locked(address, address + size);
    spin_unlock(&lock);
    world_leave(t);
    thread_outside(t);
}

ENTRY void AnnotateBenignRaceSized(PLACE, uintptr_t address, size_t size, const char *why);
ENTRY void AnnotateBenignRaceSized(PLACE, uintptr_t address, size_t size, const char *why)
{
    (void)file, (void)line, (void)why;
    annotate_benign(address, size);
}

ENTRY void AnnotateBenignRace(PLACE, uintptr_t address, const char *why);
ENTRY void AnnotateBenignRace(PLACE, uintptr_t address, const char *why)
{
    (void)file, (void)line, (void)why;
    annotate_benign(address, 1);
}

ENTRY void WTFAnnotateBenignRaceSized(PLACE, uintptr_t address, size_t size, const char *why);
ENTRY void WTFAnnotateBenignRaceSized(PLACE, uintptr_t address, size_t size, const char *why)
{
    (void)file, (void)line, (void)why;
    annotate_benign(address, size);
}

/* --- what is left out --- */

#define IGNORE(what, ...)                                                                                    \
    ENTRY void AnnotateIgnore##what##Begin(PLACE);                                                           \
    ENTRY void AnnotateIgnore##what##Begin(PLACE)                                                            \
    {                                                                                                        \
        (void)file, (void)line;                                                                              \
        struct thread *t = thread_current();                                                                 \
        uint32_t *count[] = {__VA_ARGS__};                                                                   \
        for (size_t i = 0; i < array_length(count); i++)                                                     \
            *count[i] += runtime_options.enable_annotations;                                                 \
        t->ignored += runtime_options.enable_annotations;                                                    \
    }                                                                                                        \
    ENTRY void AnnotateIgnore##what##End(PLACE);                                                             \
    ENTRY void AnnotateIgnore##what##End(PLACE)                                                              \
    {                                                                                                        \
        (void)file, (void)line;                                                                              \
        struct thread *t = thread_current();                                                                 \
        uint32_t *count[] = {__VA_ARGS__};                                                                   \
        for (size_t i = 0; i < array_length(count); i++)                                                     \
            *count[i] -= *count[i] > 0;                                                                      \
    }

/* IgnoreWrites leaves reads out as well, as TSan does: Archer, the OpenMP tool for TSan, has it around reductions. */
IGNORE(Reads, &t->ignore_reads)
IGNORE(Writes, &t->ignore_reads, &t->ignore_writes)
IGNORE(Sync, &t->ignore_sync)

/* --- synchronization --- */

ENTRY void AnnotateHappensBefore(PLACE, uintptr_t address);
ENTRY void AnnotateHappensBefore(PLACE, uintptr_t address)
{
    (void)file, (void)line;
    struct thread *t = annotator();
    if (t == NULL)
        return;
    t->inside++;
    past_sync_add(t, SYNC_ANNOTATED, HISTORY_RELEASES, address, CALLER_PC);
    sync_publish(t, address);
    thread_outside(t);
}

ENTRY void AnnotateHappensAfter(PLACE, uintptr_t address);
ENTRY void AnnotateHappensAfter(PLACE, uintptr_t address)
{
    (void)file, (void)line;
    struct thread *t = annotator();
    if (t == NULL)
        return;
    t->inside++;
    sync_acquire_all(t, address);
    past_sync_add(t, SYNC_ANNOTATED, HISTORY_ACQUIRES, address, CALLER_PC);
    thread_outside(t);
}

#define RWLOCK_MADE(name)                                                                                    \
    ENTRY void name(PLACE, uintptr_t address);                                                               \
    ENTRY void name(PLACE, uintptr_t address)                                                                \
    {                                                                                                        \
        (void)file, (void)line;                                                                              \
        struct thread *t = annotator();                                                                      \
        if (t == NULL)                                                                                       \
            return;                                                                                          \
        t->inside++;                                                                                         \
        sync_destroy(address);                                                                               \
        thread_outside(t);                                                                                   \
    }

RWLOCK_MADE(AnnotateRWLockCreate)
RWLOCK_MADE(AnnotateRWLockDestroy)

ENTRY void AnnotateRWLockAcquired(PLACE, uintptr_t address, uintptr_t for_writing);
ENTRY void AnnotateRWLockAcquired(PLACE, uintptr_t address, uintptr_t for_writing)
{
    (void)file, (void)line;
    struct thread *t = annotator();
    if (t == NULL)
        return;
    t->inside++;
    if (for_writing)
        sync_acquire_exclusive(t, address);
    else
        sync_acquire(t, address);
    if ((address & 1) == 0)
        held_add(t, (const void *)address, for_writing ? HELD_WRITING : HELD_READING, CALLER_PC);
    thread_outside(t);
}

ENTRY void AnnotateRWLockReleased(PLACE, uintptr_t address, uintptr_t for_writing);
ENTRY void AnnotateRWLockReleased(PLACE, uintptr_t address, uintptr_t for_writing)
{
    (void)file, (void)line;
    struct thread *t = annotator();
    if (t == NULL)
        return;
    t->inside++;
    held_remove(t, (const void *)address, CALLER_PC);
    if (for_writing)
        sync_release(t, address);
    else
        sync_publish_reader(t, address);
    thread_outside(t);
}

/* --- names --- */

ENTRY void AnnotateThreadName(PLACE, const char *name);
ENTRY void AnnotateThreadName(PLACE, const char *name)
{
    (void)file, (void)line;
    struct thread *t = thread_current();
    size_t i = 0;
    for (; name[i] != '\0' && i < sizeof t->name - 1; i++)
        t->name[i] = name[i];
    t->name[i] = '\0';
}

/* --- nothing to us: the arguments, whatever they are, stay where the caller put them --- */

#define NOTHING(name)                                                                                        \
    ENTRY void name(void);                                                                                   \
    ENTRY void name(void)                                                                                    \
    {                                                                                                        \
    }

NOTHING(AnnotateRWLockCreateStatic)
NOTHING(AnnotateCondVarSignal)
NOTHING(AnnotateCondVarSignalAll)
NOTHING(AnnotateCondVarWait)
NOTHING(AnnotateMutexIsNotPHB)
NOTHING(AnnotateMutexIsUsedAsCondVar)
NOTHING(AnnotatePCQCreate)
NOTHING(AnnotatePCQDestroy)
NOTHING(AnnotatePCQGet)
NOTHING(AnnotatePCQPut)
NOTHING(AnnotatePublishMemoryRange)
NOTHING(AnnotateUnpublishMemoryRange)
NOTHING(AnnotateNewMemory)
NOTHING(AnnotateTraceMemory)
NOTHING(AnnotateFlushState)
NOTHING(AnnotateEnableRaceDetection)
NOTHING(AnnotateExpectRace)
NOTHING(AnnotateFlushExpectedRaces)
NOTHING(AnnotateMemoryIsInitialized)
NOTHING(AnnotateMemoryIsUninitialized)
NOTHING(AnnotateNoOp)
NOTHING(WTFAnnotateHappensBefore) /* WebKit annotated atomics with these, which we see ourselves */
NOTHING(WTFAnnotateHappensAfter)

/* --- who is there --- */

ENTRY int RunningOnValgrind(void);
ENTRY int RunningOnValgrind(void)
{
    return runtime_options.running_on_valgrind;
}

ENTRY double ValgrindSlowdown(void);
ENTRY double ValgrindSlowdown(void)
{
    return 10.0;
}

/* "Is a race detector running?" */
ENTRY const char *ThreadSanitizerQuery(const char *question);
ENTRY const char *ThreadSanitizerQuery(const char *question)
{
    static const char sure[] = "sure";
    for (size_t i = 0; i < sizeof sure; i++)
        if (question[i] != sure[i])
            return "0";
    return "1";
}
