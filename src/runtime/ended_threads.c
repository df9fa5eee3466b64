#include "runtime/ended_threads.h"

static struct ended_thread records[ENDED_THREADS]; /* by id, modulo their number */

void ended_threads_add_locked(const struct thread *t)
{
    struct ended_thread *e = &records[t->id % ENDED_THREADS];
    if (e->number > t->id + 1)
        return; /* a later thread that was forgotten before this one */
    store_relaxed(&e->number, 0);
    fence_seq_cst();
    e->creator = t->creator;
    e->creation_node = t->creation_node;
    e->kernel_id = (uint32_t)t->kernel_id;
    e->joined = t->joined;
    for (size_t i = 0; i < sizeof e->name; i++)
        e->name[i] = t->name[i];
    store_release(&e->number, t->id + 1);
}

bool ended_threads_find(uint32_t id, struct ended_thread *found)
{
    const struct ended_thread *e = &records[id % ENDED_THREADS];
    if (load_acquire(&e->number) != id + 1)
        return false;
    *found = *e;
    fence_seq_cst();
    return load_relaxed(&e->number) == id + 1;
}
