/* Who calls an interceptor: which thread, and from which kind of code.
 *
 * What a synchronization function does to the order of the threads counts whoever calls it. What it does to
 * the memory of its object (a mutex that is locked while another thread destroys it) is checked only for
 * calls from instrumented code: other libraries may order such calls by means that we do not see.
 */
#pragma once

#include <link.h>

#include "runtime/intercept/real.h"

/* The calling thread; NULL when it is inside the runtime, or has ended, or the runtime is asleep: the call is then
 * none of the program's, and the interceptor passes straight through. Its pending accesses are checked: they come
 * before the call. */
hot_inline struct thread *caller(void)
{
    struct thread *t = thread_self;
    if (unlikely(t == NULL)) {
        if (!runtime_awake())
            return NULL;
        t = thread_current();
    }
    if (unlikely(t->inside != 0))
        return NULL;
    return t;
}

/* Looks which of the loaded objects are instrumented; each of those has it called when it is loaded, from
 * `pc`. */
HIDDEN void caller_look_at_objects(uintptr_t pc);
/* Is any of them? */
HIDDEN bool caller_any_instrumented(void);
/* Where the object's segments lie. */
HIDDEN void caller_bounds(const struct dl_phdr_info *info, uintptr_t *low, uintptr_t *high);
/* Does any object ask for __tsan_init, without having the runtime in it? */
HIDDEN bool caller_any_asks(void);

/* The object with this code is not there any more. */
HIDDEN void caller_forget(uintptr_t code);

struct module {
    uintptr_t from, to;          /* `to` becomes 0 when it is unloaded */
    bool instrumented;           /* otherwise: the C++ library */
    unsigned long long unloaded; /* how many objects had been by then */
    struct module *next;
};

extern HIDDEN struct module *caller_modules; /* grows at its head */

hot_inline struct module *caller_module(uintptr_t pc)
{
    struct module *m = load_acquire(&caller_modules);
    while (m != NULL && unlikely(pc < m->from || pc >= load_relaxed(&m->to)))
        m = m->next;
    return m;
}

hot_inline bool caller_instrumented(uintptr_t pc)
{
    const struct module *m = caller_module(pc);
    return m != NULL && m->instrumented;
}

/* --- what a call does to the memory of the object it is about --- */

/* The object is made, destroyed or filled in: a write. */
HIDDEN void object_written(struct thread *t, const volatile void *object, size_t size, uintptr_t pc);

/* The object is about to be used, perhaps by several at once: races with a write that is not ordered with it, before or
 * after. `listed`: the use is a past sync as well (runtime/past_sync.h). */
HIDDEN void object_used(struct thread *t, const volatile void *object, bool listed, uintptr_t pc);

/* A lock is about to be taken: races with an earlier write that is not ordered before. The use is noted once the lock is
 * held. */
HIDDEN void object_shared(struct thread *t, const volatile void *object, uintptr_t pc);
