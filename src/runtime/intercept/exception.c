/* Exceptions that several threads hold: std::exception_ptr, and what std::rethrow_exception() has thrown. Who
 * lets go of the object last destroys it (counted.h). */
#include "runtime/intercept/counted.h"

/* The C++ ABI's parts of what is before an exception object, as libstdc++ has it on x86-64. */
struct exception_header {
    void *primary; /* of a dependent exception, which std::rethrow_exception() throws: the object; else its
                      type */
    char unused[72];
    uint64_t class; /* whose exception it is */
    char unwinder[24];
};
_Static_assert(sizeof(struct exception_header) == 112, "");

/* Before the header of a primary one is the number of its holders, in 16 bytes. */
enum { COUNT_BEFORE = 128 };

#define GNU_CLASS           UINT64_C(0x474e5543432b2b00) /* "GNUCC++\0" */
#define GNU_DEPENDENT_CLASS UINT64_C(0x474e5543432b2b01)

struct globals {
    struct exception_header *caught; /* the innermost exception that the thread is handling */
    unsigned uncaught;
};

struct globals *__cxa_get_globals(void);
void __cxa_end_catch(void);

/* std::exception_ptr::_M_release() */
void pf_exception_release(void **pointer) __asm__("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
typedef void release_function(void **pointer);

static release_function *real_release(void)
{
    return REAL_CXX("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv", release_function);
}

static int *count_of(void *object)
{
    return (int *)((char *)object - COUNT_BEFORE);
}

static void let_go(struct thread *t, void *object)
{
    if (counted_let_go(t, count_of(object), 1))
        real_release()(&object);
}

INTERCEPT_WEAK void pf_exception_release(void **pointer)
{
    struct thread *t = caller();
    void *object = *pointer;
    bool held = t != NULL && object != NULL && counted_hold(t, count_of(object), 1);
    real_release()(pointer);
    if (held)
        let_go(t, object);
}

/* The object that the thread is handling; NULL: none, or of another language. */
static void *caught(void)
{
    __typeof__(&__cxa_get_globals) globals = REAL_OR_NULL(__cxa_get_globals);
    struct exception_header *header = globals != NULL && real_release() != NULL ? globals()->caught : NULL;
    if (header == NULL)
        return NULL;
    return header->class == GNU_CLASS             ? (void *)(header + 1)
           : header->class == GNU_DEPENDENT_CLASS ? header->primary
                                                  : NULL;
}

INTERCEPT_WEAK void __cxa_end_catch(void)
{
    struct thread *t = caller();
    void *object = t != NULL ? caught() : NULL;
    bool held = object != NULL && counted_hold(t, count_of(object), 1);
    REAL(__cxa_end_catch)();
    if (held)
        let_go(t, object);
}
