/* The shadow call stack: __tsan_func_entry and __tsan_func_exit. Hot path up to the call of a _slow function.
 */
#include "runtime/thread.h"

#define ENTRY __attribute__((visibility("default")))

/* The stack is full: a recursion without end, or jumps that we do not see. The outer half goes. */
static void drop_outer(struct thread *t)
{
    struct frame *to = t->stack + 1, *from = t->stack + (t->stack_end - t->stack) / 2;
    while (from <= t->top)
        *to++ = *from++;
    t->top = to - 1;
}

/* The first call in a thread that the runtime does not know yet; or one too many. */
static cold_path void func_entry_slow(void *pc, uint32_t sp)
{
    struct thread *t = thread_current();
    if (t->top + 1 == t->stack_end)
        drop_outer(t);
    *++t->top = (struct frame){.pc = (uintptr_t)pc, .sp = sp};
}

hot_inline uint32_t stack_pointer(void)
{
    uint32_t sp;
    __asm__ volatile("movl %%esp, %0" : "=r"(sp));
    return sp;
}

ENTRY void __tsan_func_entry(void *pc);
ENTRY void __tsan_func_entry(void *pc)
{
    struct thread *t = thread_self;
    if (unlikely(t == NULL) || unlikely(t->top + 1 == t->stack_end)) {
        func_entry_slow(pc, stack_pointer());
        return;
    }
    struct frame *top = t->top + 1;
    top->pc = (uintptr_t)pc;
    top->node = 0;
    __asm__ volatile("movl %%esp, %0" : "=m"(top->sp));
    t->top = top;
}

ENTRY void __tsan_func_exit(void);
ENTRY void __tsan_func_exit(void)
{
    struct thread *t = thread_self;
    if (likely(t != NULL && t->top > t->stack))
        t->top--;
}
