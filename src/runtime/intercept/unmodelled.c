/* Calls that are passed on and only noted (runtime/completeness.h): nothing here depends on what their
 * arguments are. They have at most six, all of them whole numbers or pointers. */
#include "runtime/completeness.h"

#include "runtime/intercept/caller.h"

bool unmodelled_called[UNMODELLED_COUNT];

void unmodelled_note(enum unmodelled which, uintptr_t pc)
{
    const struct thread *t = thread_self;
    if (t != NULL && t->inside == 0 && caller_instrumented(pc))
        store_relaxed(&unmodelled_called[which], true);
}

#define ARGUMENTS long a, long b, long c, long d, long e, long f
typedef long any_function(ARGUMENTS);

#define X(name)                                                                                              \
    INTERCEPT any_function pf_##name __asm__(#name);                                                         \
    INTERCEPT long pf_##name(ARGUMENTS)                                                                      \
    {                                                                                                        \
        REAL_ENTRY(name);                                                                                    \
        unmodelled_note(UNMODELLED_##name, CALLER_PC);                                                       \
        return ((any_function *)(real_find(&entry_) ? entry_.address : real_find_slow(&entry_)))(a, b, c, d, \
                                                                                                 e, f);      \
    }
UNMODELLED(X)
#undef X
