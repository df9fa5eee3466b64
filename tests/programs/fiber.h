/* Fibers on ucontext, told to the detector: fiber_start(&f, function), fiber_go(&from, &to, flags). */
#pragma once

#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>

#ifdef __cplusplus
extern "C" {
#endif
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_set_fiber_name(void *fiber, const char *name);
#ifdef __cplusplus
}
#endif

enum { NO_SYNC = 1 };

struct fiber {
    ucontext_t context;
    void *told;
    char *stack;
};

static inline void fiber_here(struct fiber *f)
{
    f->told = __tsan_get_current_fiber();
    f->stack = NULL;
}

static inline void fiber_start(struct fiber *f, void (*function)(void))
{
    enum { STACK = 1 << 16 };
    getcontext(&f->context);
    f->stack = (char *)malloc(STACK);
    f->context.uc_stack.ss_sp = f->stack;
    f->context.uc_stack.ss_size = STACK;
    f->context.uc_link = NULL;
    makecontext(&f->context, function, 0);
    f->told = __tsan_create_fiber(0);
}

static inline void fiber_end(struct fiber *f)
{
    __tsan_destroy_fiber(f->told);
    free(f->stack);
}

static inline void fiber_go(struct fiber *from, struct fiber *to, unsigned flags)
{
    __tsan_switch_to_fiber(to->told, flags);
    swapcontext(&from->context, &to->context);
}
