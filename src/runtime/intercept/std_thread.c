/* std::thread is started by the C++ library, which is not instrumented: who called that is noted here, for
 * the stack of the thread's creation. */
#include "runtime/intercept/counted.h"

/* std::thread::_M_start_thread(std::unique_ptr<_State>, void (*)()); may throw, through us. */
typedef void start_function(void *thread, void *state, void (*depend)(void));
start_function pf_std_thread_start __asm__(
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE");

INTERCEPT_WEAK void pf_std_thread_start(void *thread, void *state, void (*depend)(void))
{
    struct thread *t = caller();
    if (t != NULL)
        t->starts_at = CALLER_PC;
    REAL_CXX("_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
             start_function)
    (thread, state, depend);
    if (t != NULL)
        t->starts_at = 0;
}
