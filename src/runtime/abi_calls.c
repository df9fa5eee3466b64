/* The shadow call stack: __tsan_func_entry and __tsan_func_exit. Hot path up to the call of a _slow function.
 */
#include "runtime/thread.h"

#define ENTRY __attribute__((visibility("default")))

/* The first call in a thread that the runtime does not know yet. */
static cold_path void func_entry_slow(void *pc)
{
    *++thread_current()->top = (struct frame){.pc = (uintptr_t)pc};
}

ENTRY void __tsan_func_entry(void *pc);
ENTRY void __tsan_func_entry(void *pc)
{
    struct thread *t = thread_self;
    if (unlikely(t == NULL)) {
        func_entry_slow(pc);
        return;
    }
    struct frame *top = t->top + 1;
    top->pc = (uintptr_t)pc;
    top->node = 0;
    t->top = top;
}

ENTRY void __tsan_func_exit(void);
ENTRY void __tsan_func_exit(void)
{
    struct thread *t = thread_self;
    if (likely(t != NULL && t->top > t->stack))
        t->top--;
}
