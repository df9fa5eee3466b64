/* What reports still say of a thread after its struct is used for another: number, name, creation.
 *
 * A heap block may outlive the thread that allocated it, by any time. A record is 32 bytes, and the latest
 * ENDED_THREADS threads have one: 4 MiB at most, of which only what is used is ever touched. Of older threads
 * the number alone remains.
 *
 * Records are written under the registry's lock. Reports read them without it: `number` is 0 while a record
 * changes, and a reader that finds another number after its copy than before drops the copy.
 */
#pragma once

#include "runtime/thread.h"

enum { ENDED_THREADS = 1 << 17 };

struct ended_thread {
    uint32_t number; /* id + 1; 0: none */
    uint32_t creator, creation_node;
    uint32_t kernel_id : 31, joined : 1; /* not joined: detached */
    char name[16];
};
_Static_assert(sizeof(struct ended_thread) == 32, "ENDED_THREADS of them: 4 MiB");

/* The thread is about to be forgotten. */
HIDDEN void ended_threads_add_locked(const struct thread *t);

/* False: it is too long ago, or there is no such thread. */
HIDDEN bool ended_threads_find(uint32_t id, struct ended_thread *found);
