/* Each different list of locks once, in a table that only grows; and the hooks of runtime/intercept/held.h.
 */
#include "runtime/host/held.h"

#include "runtime/host/memory.h"
#include "runtime/host/recorder.h"
#include "runtime/intercept/held.h"

struct list {
    uint32_t count;
    uint32_t next; /* with the same hash; 0: none */
    uintptr_t *entry;
};

enum { BUCKETS = 1 << 12 };

static struct list *lists; /* by number; [0] is the empty one */
static size_t list_count, list_capacity;
static uint32_t bucket[BUCKETS];

static uint32_t *bucket_of(const uintptr_t *entry, uint32_t count)
{
    uint64_t hash = count;
    for (uint32_t i = 0; i < count; i++)
        hash = (hash ^ entry[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return &bucket[hash >> 32 & (BUCKETS - 1)];
}

static bool same(const struct list *list, const uintptr_t *entry, uint32_t count)
{
    return list->count == count && __builtin_memcmp(list->entry, entry, count * sizeof *entry) == 0;
}

static uint32_t intern(const uintptr_t *entry, uint32_t count)
{
    uint32_t *head = bucket_of(entry, count);
    for (uint32_t number = *head; number != 0; number = lists[number].next)
        if (same(&lists[number], entry, count))
            return number;
    list_count += list_count == 0;
    lists = mem_reserve(events_mem, lists, sizeof *lists, &list_capacity, list_count + 1);
    struct list *list = &lists[list_count];
    *list =
        (struct list){.count = count, .next = *head, .entry = mem_alloc(events_mem, count * sizeof *entry)};
    __builtin_memcpy(list->entry, entry, count * sizeof *entry);
    return *head = (uint32_t)list_count++;
}

uint32_t held_number(struct thread *t)
{
    struct host_thread *h = t->host;
    if (t->held_count == 0)
        return 0;
    if (h->held == 0)
        h->held = intern(t->held, t->held_count);
    return h->held;
}

int host_held_then(uint32_t number, uintptr_t *entry, size_t most)
{
    int count = -1;
    events_enter();
    if (number == 0)
        count = 0;
    else if (lists[number].count <= most)
        count = (int)lists[number].count;
    for (int i = 0; i < count; i++)
        entry[i] = lists[number].entry[i];
    events_leave();
    return count;
}

/* --- events, for detectors of locking disciplines --- */

static bool still_held(const struct thread *t, uintptr_t lock, enum held_mode mode)
{
    for (uint32_t i = 0; i < t->held_count; i++)
        if (held_lock(t->held[i]) == lock &&
            (held_mode(t->held[i]) == HELD_READING) == (mode == HELD_READING))
            return true;
    return false;
}

/* Precise detectors have the order in what is released; in a trace they see both, and the locks must not
 * order more. */
static bool wants_locks(const struct thread *t)
{
    return recorder_chosen ? recorder_on && t->ignore_sync == 0 : !events_detector->precise;
}

bool held_event_wanted(const struct thread *t, const volatile void *lock, enum held_mode mode, bool taken)
{
    return wants_locks(t) && (taken || !still_held(t, (uintptr_t)lock, mode));
}

void held_event(struct thread *t, const volatile void *lock, enum held_mode mode, bool taken)
{
    if (!held_event_wanted(t, lock, mode, taken))
        return;
    enum op op = mode == HELD_READING ? taken ? OP_READ_ACQUIRE : OP_READ_RELEASE
                 : taken              ? OP_ACQUIRE
                                      : OP_RELEASE;
    struct host_sync *s = memory_sync((uintptr_t)lock, true);
    if (s->lock == 0)
        s->lock = events_new_lock() + 1;
    events_sync(t->host, op, s->lock - 1, 0);
}

/* runtime/intercept/held.h */
void host_held(struct thread *t, const volatile void *lock, enum held_mode mode, bool taken)
{
    t->host->held = 0;
    if (t->host->tells_held)
        return;
    events_enter();
    held_event(t, lock, mode, taken);
    events_leave();
}
