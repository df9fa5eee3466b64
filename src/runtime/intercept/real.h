/* Calling the function that we stand in front of.
 *
 * REAL(pthread_join)(...) is the next definition after ours, in the order in which the dynamic linker looks.
 * It is found by reading the symbol tables of the loaded objects (real.c), not by dlsym: no lock, no memory,
 * nothing that could be intercepted. So an interceptor works whenever it is called: before any constructor,
 * in a signal handler, from inside dlsym or malloc. Of several versions of a symbol it is the default one,
 * which new programs link to.
 *
 * Each use of REAL is an entry of one table that the linker puts together: the list of what is intercepted is
 * the interceptors themselves. real_find_all() fills it in at start; an entry that was used before then, or
 * whose library came later, is looked up when it is used.
 */
#pragma once

#include "runtime/access.h"
#include "runtime/init.h"

#define INTERCEPT __attribute__((visibility("default")))
#define CALLER_PC ((uintptr_t)__builtin_return_address(0))

struct real {
    const char *name;
    void *address; /* written by any thread, always the same value */
};
_Static_assert(sizeof(struct real) == 16, "the linker puts entries side by side, without gaps");

#define REAL_ENTRY_NAMED(name)                                                                               \
    static struct real entry_ __attribute__((section("pf_real"), used, aligned(16))) = {name, NULL}
#define REAL_ENTRY(function) REAL_ENTRY_NAMED(#function)

/* A function by its name, as `type`, a pointer. */
#define REAL_NAMED(name, type)                                                                               \
    ({                                                                                                       \
        REAL_ENTRY_NAMED(name);                                                                              \
        void *address_ = load_relaxed(&entry_.address);                                                      \
        if (unlikely(address_ == NULL))                                                                      \
            address_ = real_find_slow(&entry_);                                                              \
        (type) address_;                                                                                     \
    })

#define REAL(function) REAL_NAMED(#function, __typeof__(&function))

/* The same, NULL where no loaded object has it. */
#define REAL_OR_NULL(function)                                                                               \
    ({                                                                                                       \
        REAL_ENTRY(function);                                                                                \
        (__typeof__(&function))(real_find(&entry_) ? entry_.address : NULL);                                 \
    })

HIDDEN bool real_find(struct real *entry);
/* Ends the program with one line when there is no such function. */
HIDDEN void *real_find_slow(struct real *entry);
HIDDEN void real_find_all(void);
/* The object that this code is in; NULL if it is in another namespace (dlmopen). */
HIDDEN const struct link_map *real_own_object(void);
/* The library was loaded after the C library: nobody calls its interceptors. Written at the start. */
extern HIDDEN bool real_too_late;
