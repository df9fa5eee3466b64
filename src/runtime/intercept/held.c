#include "runtime/intercept/held.h"

#include "runtime/stack.h"

enum { FIRST_ROOM = 32, DEPTH_BIT = 48, MOST_DEPTH = (1 << 14) - 1 };
#define GIVEN_UP (UINT64_C(1) << 62)

static struct arena memory;

/* What is outgrown is left behind: it is less than what replaces it. */
cold_path static void grow(struct thread *t)
{
    uint32_t room = t->held_room == 0 ? FIRST_ROOM : 2 * t->held_room;
    uintptr_t *held = arena_take(&memory, room * sizeof *held);
    for (uint32_t i = 0; i < t->held_count; i++)
        held[i] = t->held[i];
    t->held = held;
    t->held_room = room;
}

/* Only the owner writes; a reporter looks afterwards whether it was lapped. */
hot_inline void write_down(struct thread *t, uintptr_t entry, uint64_t given_up, uintptr_t pc)
{
    uint64_t depth = likely(t->held_count < MOST_DEPTH) ? t->held_count : MOST_DEPTH;
    uint32_t changes = t->held_changes;
    *history_held(t->history, changes) =
        (struct held_change){entry | given_up | depth << DEPTH_BIT, pc, stack_node(t), t->actor.now};
    store_release(&t->held_changes, changes + 1);
    history_change_context(t);
}

void held_add(struct thread *t, const volatile void *lock, enum held_mode mode, uintptr_t pc)
{
    uintptr_t entry = (uintptr_t)lock | (mode == HELD_READING) | (uintptr_t)(mode == HELD_ROBUST) << 63;
    if (unlikely(t->held_count == t->held_room))
        grow(t);
    t->held[t->held_count++] = entry;
    write_down(t, entry, 0, pc);
    if (host_held != NULL)
        host_held(t, lock, mode, true);
}

enum held_mode held_remove(struct thread *t, const volatile void *lock, uintptr_t pc)
{
    uint32_t i = t->held_count;
    while (i-- > 0)
        if (held_lock(t->held[i]) == (uintptr_t)lock)
            break;
    if (i == UINT32_MAX)
        return NOT_HELD;
    uintptr_t entry = t->held[i];
    for (t->held_count--; i < t->held_count; i++)
        t->held[i] = t->held[i + 1];
    write_down(t, entry, GIVEN_UP, pc);
    if (host_held != NULL)
        host_held(t, lock, held_mode(entry), false);
    return held_mode(entry);
}

/* --- for reports --- */

/* Backwards in time: a lock that was given up is not one that was held until its own beginning is passed. */
struct walk {
    uintptr_t *entry;
    int count;
    uintptr_t passed[64];
    int passed_count;
};

static bool skip(struct walk *w, uintptr_t entry)
{
    for (int i = w->passed_count; i-- > 0;)
        if (w->passed[i] == entry) {
            w->passed[i] = w->passed[--w->passed_count];
            return true;
        }
    return false;
}

int held_then(const struct thread *t, uint32_t changes, uintptr_t *entry, size_t most)
{
    const uint64_t only_entry = ~(GIVEN_UP | (uint64_t)MOST_DEPTH << DEPTH_BIT);
    struct held_change change;
    struct walk w = {.entry = entry};
    if (host_held_then != NULL)
        return host_held_then(changes, entry, most);
    if (changes == 0)
        return 0;
    if (!history_held_at(t, changes - 1, &change))
        return -1;
    int wanted = (int)(change.what >> DEPTH_BIT & MOST_DEPTH);
    if (wanted > (int)most)
        return -1;
    for (uint32_t at = changes - 1; w.count < wanted; at--) {
        if (!history_held_at(t, at, &change))
            return -1;
        uintptr_t lock = change.what & only_entry;
        if (held_given_up(&change)) {
            if (w.passed_count == (int)array_length(w.passed))
                return -1;
            w.passed[w.passed_count++] = lock;
        } else if (!skip(&w, lock)) {
            entry[w.count++] = lock;
        }
        if (at == 0)
            break;
    }
    for (int i = 0; i < w.count / 2; i++) { /* in the order of locking */
        uintptr_t last = entry[w.count - 1 - i];
        entry[w.count - 1 - i] = entry[i];
        entry[i] = last;
    }
    return w.count == wanted ? w.count : -1;
}

bool held_released_before(const struct thread *t, uint32_t half, struct held_change *change)
{
    uint32_t now = load_acquire(&t->held_changes);
    for (uint32_t at = now; at-- > 0 && history_held_at(t, at, change);)
        if (held_given_up(change) && half_slot(change->epoch) == half_slot(half) && change->epoch < half)
            return true;
    return false;
}
