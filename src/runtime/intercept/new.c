/* operator new and delete in all their forms, under their mangled names: the C++ library's own would do (they
 * call malloc and free), but the book would then name a place in that library instead of the program's.
 *
 * Ours allocate and free like the library's, and leave to those what goes beyond: when there is no memory,
 * the real operator new calls the new-handler and throws. (Its exception passes through no frame of ours that
 * has to undo anything.) The standard has the forms call each other: a program that replaces one of them sees
 * calls of the others too. So when it has replaced any, or malloc itself, all go to the real ones.
 */
#include <malloc.h>

#include "base/out.h"
#include "runtime/intercept/memory.h"

struct nothrow;

/* name, parameters, arguments, alignment (0: malloc's), whether it throws */
#define NEWS(X)                                                                                              \
    X(_Znwm, (size_t size), (size), 0, true)                                                                 \
    X(_Znam, (size_t size), (size), 0, true)                                                                 \
    X(_ZnwmSt11align_val_t, (size_t size, size_t alignment), (size, alignment), alignment, true)             \
    X(_ZnamSt11align_val_t, (size_t size, size_t alignment), (size, alignment), alignment, true)             \
    X(_ZnwmRKSt9nothrow_t, (size_t size, const struct nothrow *tag), (size, tag), 0, false)                  \
    X(_ZnamRKSt9nothrow_t, (size_t size, const struct nothrow *tag), (size, tag), 0, false)                  \
    X(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t size, size_t alignment, const struct nothrow *tag),        \
      (size, alignment, tag), alignment, false)                                                              \
    X(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t size, size_t alignment, const struct nothrow *tag),        \
      (size, alignment, tag), alignment, false)

#define DELETES(X)                                                                                           \
    X(_ZdlPv, (void *block), (block), HEAP_DELETE)                                                           \
    X(_ZdaPv, (void *block), (block), HEAP_DELETE_ARRAY)                                                     \
    X(_ZdlPvm, (void *block, size_t size), (block, size), HEAP_DELETE)                                       \
    X(_ZdaPvm, (void *block, size_t size), (block, size), HEAP_DELETE_ARRAY)                                 \
    X(_ZdlPvSt11align_val_t, (void *block, size_t alignment), (block, alignment), HEAP_DELETE)               \
    X(_ZdaPvSt11align_val_t, (void *block, size_t alignment), (block, alignment), HEAP_DELETE_ARRAY)         \
    X(_ZdlPvmSt11align_val_t, (void *block, size_t size, size_t alignment), (block, size, alignment),        \
      HEAP_DELETE)                                                                                           \
    X(_ZdaPvmSt11align_val_t, (void *block, size_t size, size_t alignment), (block, size, alignment),        \
      HEAP_DELETE_ARRAY)                                                                                     \
    X(_ZdlPvRKSt9nothrow_t, (void *block, const struct nothrow *tag), (block, tag), HEAP_DELETE)             \
    X(_ZdaPvRKSt9nothrow_t, (void *block, const struct nothrow *tag), (block, tag), HEAP_DELETE_ARRAY)       \
    X(_ZdlPvSt11align_val_tRKSt9nothrow_t, (void *block, size_t alignment, const struct nothrow *tag),       \
      (block, alignment, tag), HEAP_DELETE)                                                                  \
    X(_ZdaPvSt11align_val_tRKSt9nothrow_t, (void *block, size_t alignment, const struct nothrow *tag),       \
      (block, alignment, tag), HEAP_DELETE_ARRAY)

#define DECLARE_NEW(name, parameters, arguments, alignment, throws) INTERCEPT void *name parameters;
#define DECLARE_DELETE(name, parameters, arguments, way)            INTERCEPT void name parameters;
NEWS(DECLARE_NEW)
DELETES(DECLARE_DELETE)

/* --- has the program replaced any? --- */

/* Each function under a name that nobody can replace. */
#define OWN_NEW(name, ...)    extern HIDDEN __typeof__(name) own##name __attribute__((alias(#name)));
#define OWN_DELETE(name, ...) extern HIDDEN __typeof__(name) own##name __attribute__((alias(#name)));
NEWS(OWN_NEW)
DELETES(OWN_DELETE)

#define ADDRESSES(name, ...) {(const void *)&name, (const void *)&own##name},

static const struct {
    const void *used, *own; /* what the dynamic linker has chosen, and ours */
} forms[] = {NEWS(ADDRESSES) DELETES(ADDRESSES)};

static bool ours_look(void)
{
    for (size_t i = 0; i < array_length(forms); i++)
        if (*(const void *const volatile *)&forms[i].used != forms[i].own)
            return false;
    return memory_is_ours();
}

static bool ours(void)
{
    static int8_t known; /* 1: all are ours, -1: not; every thread finds the same */
    int8_t now = load_relaxed(&known);
    if (unlikely(now == 0))
        store_relaxed(&known, now = ours_look() ? 1 : -1);
    return now > 0;
}

/* --- the forms --- */

static void *take(size_t size, size_t alignment)
{
    size = size != 0 ? size : 1;
    if (alignment == 0)
        return ALLOCATOR(REAL(malloc)(size));
    if ((alignment & (alignment - 1)) != 0)
        return NULL;
    return ALLOCATOR(REAL(memalign)(alignment, size));
}

/* --- where the C++ library is linked into the program: by what we can see of it --- */

void (*_ZSt15get_new_handlerv(void))(void) __attribute__((weak));
void _ZSt17__throw_bad_allocv(void) __attribute__((weak));

static cold_path _Noreturn void cannot_throw(void)
{
    struct out out = {.fd = 2};
    out_text(&out, "photofinish: out of memory in operator new, and the program has nothing that could throw "
                   "std::bad_alloc\n");
    out_flush(&out);
    sys_exit_process(EXIT_TOOL_FAILED);
}

static cold_path void *take_alone(size_t size, size_t alignment, bool throws)
{
    for (;;) {
        void *block = take(size, alignment);
        void (*handler)(void) =
            block == NULL && _ZSt15get_new_handlerv != NULL ? _ZSt15get_new_handlerv() : NULL;
        if (block != NULL || (handler == NULL && !throws))
            return block;
        if (handler != NULL)
            handler();
        else if (_ZSt17__throw_bad_allocv != NULL)
            _ZSt17__throw_bad_allocv();
        else
            cannot_throw();
    }
}

#define DEFINE_NEW(name, parameters, arguments, alignment_, throws)                                          \
    INTERCEPT void *name parameters                                                                          \
    {                                                                                                        \
        void *block = likely(ours()) ? take(size, alignment_) : NULL;                                        \
        if (likely(block != NULL))                                                                           \
            return memory_allocated(block, size, CALLER_PC);                                                 \
        __typeof__(&name) real = REAL_OR_NULL(name);                                                         \
        if (likely(real != NULL))                                                                            \
            return real arguments;                                                                           \
        return memory_allocated(take_alone(size, alignment_, throws), size, CALLER_PC);                      \
    }

#define DEFINE_DELETE(name, parameters, arguments, way)                                                      \
    INTERCEPT void name parameters                                                                           \
    {                                                                                                        \
        if (unlikely(!ours())) {                                                                             \
            __typeof__(&name) real = REAL_OR_NULL(name);                                                     \
            if (real != NULL) {                                                                              \
                real arguments;                                                                              \
                return;                                                                                      \
            }                                                                                                \
        }                                                                                                    \
        if (block == NULL)                                                                                   \
            return;                                                                                          \
        memory_freeing(block, way, CALLER_PC);                                                               \
        memory_give(block);                                                                                  \
    }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
NEWS(DEFINE_NEW)
DELETES(DEFINE_DELETE)
#pragma GCC diagnostic pop
