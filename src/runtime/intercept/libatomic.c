/* Atomic objects that are too large for the processor: std::atomic of a structure, _Atomic struct. The
 * compiler calls libatomic for them, which no compiler instruments.
 *
 * The names are the compiler's own, so ours are others for the same symbols. A program that is not linked
 * with libatomic finds these, too: the record's lock, under which each operation is done, then is the lock of
 * the object.
 */
#include <string.h>

#include "runtime/atomic_sync.h"
#include "runtime/intercept/real.h"

typedef void load_function(size_t size, const volatile void *object, void *value, int order);
typedef void store_function(size_t size, volatile void *object, const void *value, int order);
typedef void exchange_function(size_t size, volatile void *object, const void *value, void *old, int order);
typedef bool compare_function(size_t size, volatile void *object, void *expected, const void *value,
                              int order, int failure);

load_function pf_atomic_load __asm__("__atomic_load");
store_function pf_atomic_store __asm__("__atomic_store");
exchange_function pf_atomic_exchange __asm__("__atomic_exchange");
compare_function pf_atomic_compare_exchange __asm__("__atomic_compare_exchange");

/* Libatomic's, or NULL. */
#define LIBATOMIC(function, type)                                                                            \
    ({                                                                                                       \
        REAL_ENTRY(function);                                                                                \
        (type *)(real_find(&entry_) ? entry_.address : NULL);                                                \
    })

/* --- without libatomic: under the record's lock --- */

static void own_load(size_t size, const volatile void *object, void *value, int order)
{
    (void)order;
    __builtin_memcpy(value, (const void *)object, size);
}

static void own_store(size_t size, volatile void *object, const void *value, int order)
{
    (void)order;
    __builtin_memcpy((void *)object, value, size);
}

static void own_exchange(size_t size, volatile void *object, const void *value, void *old, int order)
{
    (void)order;
    char kept[size];
    __builtin_memcpy(kept, value, size); /* it may be where the old one goes */
    __builtin_memcpy(old, (const void *)object, size);
    __builtin_memcpy((void *)object, kept, size);
}

static bool own_compare_exchange(size_t size, volatile void *object, void *expected, const void *value,
                                 int order, int failure)
{
    (void)order, (void)failure;
    bool same = __builtin_memcmp((const void *)object, expected, size) == 0;
    if (same)
        __builtin_memcpy((void *)object, value, size);
    else
        __builtin_memcpy(expected, (const void *)object, size);
    return same;
}

/* --- the functions --- */

INTERCEPT void pf_atomic_load(size_t size, const volatile void *object, void *value, int order)
{
    load_function *real = LIBATOMIC(__atomic_load, load_function);
    struct atomic_step s;
    bool modelled = size > 0 && atomic_begin(&s, object, size, ATOMIC_LOAD, order);
    (real != NULL ? real : own_load)(size, object, value, order);
    if (modelled)
        atomic_loaded(&s, size, order, CALLER_PC);
}

INTERCEPT void pf_atomic_store(size_t size, volatile void *object, const void *value, int order)
{
    store_function *real = LIBATOMIC(__atomic_store, store_function);
    struct atomic_step s;
    bool modelled = size > 0 && atomic_begin(&s, object, size, ATOMIC_STORE, order);
    (real != NULL ? real : own_store)(size, object, value, order);
    if (modelled)
        atomic_stored(&s, size, order, CALLER_PC);
}

INTERCEPT void pf_atomic_exchange(size_t size, volatile void *object, const void *value, void *old, int order)
{
    exchange_function *real = LIBATOMIC(__atomic_exchange, exchange_function);
    struct atomic_step s;
    bool modelled = size > 0 && atomic_begin(&s, object, size, ATOMIC_MODIFY, order);
    (real != NULL ? real : own_exchange)(size, object, value, old, order);
    if (modelled)
        atomic_modified(&s, size, order, CALLER_PC);
}

INTERCEPT bool pf_atomic_compare_exchange(size_t size, volatile void *object, void *expected,
                                          const void *value, int order, int failure)
{
    compare_function *real = LIBATOMIC(__atomic_compare_exchange, compare_function);
    struct atomic_step s;
    bool modelled = size > 0 && atomic_begin(&s, object, size, ATOMIC_MODIFY, order);
    bool done = (real != NULL ? real : own_compare_exchange)(size, object, expected, value, order, failure);
    if (modelled && done)
        atomic_modified(&s, size, order, CALLER_PC);
    else if (modelled)
        atomic_loaded(&s, size, failure, CALLER_PC);
    return done;
}

/* --- 16 bytes, which some compilers leave to libatomic: it uses the processor's instruction, as we do --- */

typedef unsigned __int128 wide;

#define SAME_AS(result, symbol, function, parameters, arguments)                                             \
    INTERCEPT result function parameters;                                                                    \
    INTERCEPT result pf_##symbol parameters __asm__("__" #symbol);                                           \
    INTERCEPT result pf_##symbol parameters                                                                  \
    {                                                                                                        \
        return function arguments; /* a tail call: the caller stays the caller */                            \
    }

#define MODIFY(name)                                                                                         \
    SAME_AS(wide, atomic_##name##_16, __tsan_atomic128_##name, (volatile wide * a, wide v, int order),       \
            (a, v, order))

SAME_AS(wide, atomic_load_16, __tsan_atomic128_load, (const volatile wide *a, int order), (a, order))
SAME_AS(void, atomic_store_16, __tsan_atomic128_store, (volatile wide * a, wide v, int order), (a, v, order))
SAME_AS(int, atomic_compare_exchange_16, __tsan_atomic128_compare_exchange_strong,
        (volatile wide * a, wide *expected, wide v, int order, int failure), (a, expected, v, order, failure))
MODIFY(exchange)
MODIFY(fetch_add)
MODIFY(fetch_sub)
MODIFY(fetch_and)
MODIFY(fetch_or)
MODIFY(fetch_xor)
MODIFY(fetch_nand)
