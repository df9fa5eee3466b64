#include "runtime/intercept/held.h"

enum { FIRST_ROOM = 32 };

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

void held_add(struct thread *t, const volatile void *lock, enum held_mode mode)
{
    if (unlikely(t->held_count == t->held_room))
        grow(t);
    t->held[t->held_count++] =
        (uintptr_t)lock | (mode == HELD_READING) | (uintptr_t)(mode == HELD_ROBUST) << 63;
    if (host_held != NULL)
        host_held(t, lock, mode, true);
}

enum held_mode held_remove(struct thread *t, const volatile void *lock)
{
    uint32_t i = t->held_count;
    while (i-- > 0)
        if (held_lock(t->held[i]) == (uintptr_t)lock)
            break;
    if (i == UINT32_MAX)
        return NOT_HELD;
    enum held_mode mode = held_mode(t->held[i]);
    for (t->held_count--; i < t->held_count; i++)
        t->held[i] = t->held[i + 1];
    if (host_held != NULL)
        host_held(t, lock, mode, false);
    return mode;
}
