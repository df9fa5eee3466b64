/* The messages of std::runtime_error, std::logic_error and what is derived from them: copies of an exception
 * share one, and who drops the last copy destroys it (counted.h). */
#include "runtime/intercept/counted.h"

/* Before the text is the number of its holders, less one. */
enum { COUNT_BEFORE = 8, LAST = 0 };

struct error {
    void *functions; /* virtual ones */
    char *message;
};

typedef void destroy_function(struct error *error);
typedef struct error *assign_function(struct error *error, const struct error *other);

static int *count_of(const struct error *error)
{
    return (int *)(error->message - COUNT_BEFORE);
}

/* Both destructors, of a whole object and of a part of one, and the assignment. */
#define ERROR(name, symbol)                                                                                  \
    destroy_function pf_##name##_destroy __asm__(symbol "D1Ev");                                             \
    destroy_function pf_##name##_destroy_part __asm__(symbol "D2Ev");                                        \
    assign_function pf_##name##_assign __asm__(symbol "aSERKS_");                                            \
                                                                                                             \
    static void name##_let_go(struct thread *t, struct error *last)                                          \
    {                                                                                                        \
        if (counted_let_go(t, count_of(last), LAST))                                                         \
            REAL_CXX(symbol "D2Ev", destroy_function)(last);                                                 \
    }                                                                                                        \
                                                                                                             \
    INTERCEPT_WEAK void pf_##name##_destroy_part(struct error *error)                                        \
    {                                                                                                        \
        struct thread *t = caller();                                                                         \
        struct error before = *error;                                                                        \
        bool held = t != NULL && counted_hold(t, count_of(error), LAST);                                     \
        REAL_CXX(symbol "D2Ev", destroy_function)(error);                                                    \
        if (held)                                                                                            \
            name##_let_go(t, &before);                                                                       \
    }                                                                                                        \
                                                                                                             \
    INTERCEPT_WEAK void pf_##name##_destroy(struct error *error)                                             \
    {                                                                                                        \
        pf_##name##_destroy_part(error);                                                                     \
    }                                                                                                        \
                                                                                                             \
    INTERCEPT_WEAK struct error *pf_##name##_assign(struct error *error, const struct error *other)          \
    {                                                                                                        \
        struct thread *t = caller();                                                                         \
        struct error before = *error;                                                                        \
        bool held = t != NULL && counted_hold(t, count_of(error), LAST);                                     \
        REAL_CXX(symbol "aSERKS_", assign_function)(error, other);                                           \
        if (held)                                                                                            \
            name##_let_go(t, &before);                                                                       \
        return error;                                                                                        \
    }

ERROR(runtime_error, "_ZNSt13runtime_error")
ERROR(logic_error, "_ZNSt11logic_error")
