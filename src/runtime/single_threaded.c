#include "runtime/single_threaded.h"

#include "runtime/slots.h"

static bool possible; /* written under the registry's lock */

static bool is_only_one_locked(const struct thread *t)
{
    return registry.running == t && t->next_running == NULL && slots_retired_known_locked(t);
}

static void begin_locked(struct thread *t)
{
    t->shown_epoch = &thread_now;
    store_relaxed(&t->single_threaded, true);
    single_threaded_show_epoch(t);
}

void single_threaded_init(struct thread *t)
{
    spin_lock(&registry.lock);
    possible = true;
    spin_unlock(&registry.lock);
    single_threaded_try(t);
}

void single_threaded_try(struct thread *t)
{
    if (!load_relaxed(&possible) || t != thread_self || t->single_threaded)
        return;
    spin_lock(&registry.lock);
    if (possible && is_only_one_locked(t))
        begin_locked(t);
    spin_unlock(&registry.lock);
}

void single_threaded_end(struct thread *t)
{
    if (likely(!t->single_threaded))
        return;
    store_relaxed(&t->single_threaded, false);
    if (t == thread_self)
        single_threaded_show_epoch(t);
}

/* A thread that is alone may be in the middle of a region whose code has loaded its epoch once. What it accesses until
 * the end of that region is not checked against the thread that has just appeared. That thread is taken to know all that
 * was done before (learn_all_locked), so this can hide a race, as that can, and never invents one. */
void single_threaded_forbid_locked(void)
{
    store_relaxed(&possible, false);
    for (struct thread *t = registry.running; t != NULL; t = t->next_running)
        if (t->single_threaded) {
            store_relaxed(&t->single_threaded, false);
            store_relaxed(t->shown_epoch, t->actor.now);
        }
}

void single_threaded_forbid(void)
{
    spin_lock(&registry.lock);
    single_threaded_forbid_locked();
    spin_unlock(&registry.lock);
}
