/* Functions of libc that read and write the caller's memory: what the rows of libc_*.def are stamped into.
 *
 *   ROW(type, name, (parameters), (arguments), before, after)
 *
 * is an interceptor: it tells of accesses before or after it has the real function called, and returns what
 * that returns, which is `result` in `after`. A row's accesses are
 *
 *   R(pointer, count)   so many elements of what the pointer points to are read
 *   W(pointer, count)   ... written
 *   S(string)           a string is read, up to its end, which counts; NULL is none
 *   T(string)           ... written
 *   U(pointer)          the object is used, perhaps by several threads at once, but not after it is gone
 *
 * Rules for rows:
 *   - Only what the function is certain to have touched is an access: a string up to its end, or up to where a
 *     search must have stopped. Nothing is read here that the function itself may not read.
 *   - What follows from the arguments is checked before the call, so that a race which crashes it is reported;
 *     what depends on the result, or arrives during the call (from a pipe, say), after it.
 *   - A name that libc does not have is not a row: configure scripts look for functions by linking. Nor is one
 *     that libraries often have for something else (err, warn): we come before them.
 *
 * Functions have names of ours in C and libc's for the linker: headers may say what they like about those.
 * Between `before` and `after` the thread is in the program: callbacks are checked, memory that libc
 * allocates is in the book.
 *
 * Accesses count if the caller is instrumented, or the C++ library (intercept/caller.h). What other libraries
 * do with memory they may order by means that we do not see.
 */
#pragma once

#include <string.h>
#include <wchar.h>

#include "runtime/intercept/caller.h"
#include "runtime/intercept/own_code.h"
#include "runtime/options.h"
#include "runtime/run_environment.h"

hot_inline bool libc_watched(uintptr_t pc)
{
    struct thread *t = thread_self;
    return likely(t != NULL && t->inside == 0) && shadow_base != 0 && !is_own_code(pc) &&
           !runtime_options.ignore_interceptors_accesses &&
           (caller_module(pc) != NULL || !runtime_options.ignore_noninstrumented_modules);
}

hot_inline void libc_range(const volatile void *from, size_t size, enum access_kind kind, uintptr_t pc)
{
    const uintptr_t end = UINT64_C(1) << 47; /* what is no address is the real function's to refuse */
    if (size > 0 && likely((uintptr_t)from < end && size <= end - (uintptr_t)from))
        access_again((uintptr_t)from, size, kind, pc);
}

hot_inline void libc_use(const volatile void *object, uintptr_t pc)
{
    if (object != NULL && thread_self->inside == 0)
        access_compare(thread_self, (uintptr_t)object, pc);
}

#define R(pointer, count) libc_range(pointer, (size_t)(count) * sizeof *(pointer), PLAIN_READ, pc)
#define W(pointer, count) libc_range(pointer, (size_t)(count) * sizeof *(pointer), PLAIN_WRITE, pc)
#define U(pointer)        libc_use(pointer, pc)

hot_inline size_t libc_length(const char *s)
{
    return REAL(strlen)(s);
}

hot_inline size_t libc_wide_length(const wchar_t *s)
{
    return REAL(wcslen)(s);
}

#define LENGTH(s) _Generic(*(s), wchar_t : libc_wide_length, default : libc_length)((void *)(s))
#define S(s)      ((s) != NULL ? R(s, LENGTH(s) + 1) : (void)0)
#define T(s)      ((s) != NULL ? W(s, LENGTH(s) + 1) : (void)0)

/* A command for a shell that gets the process's environment: what that lacks is put back first. */
#define FOR_SHELL(command) (run_environment_restore(), command)

/* The same where the pointer may be NULL. */
#define R_IF(pointer, count) ((pointer) != NULL ? R(pointer, count) : (void)0)
#define W_IF(pointer, count) ((pointer) != NULL ? W(pointer, count) : (void)0)

/* `real`: the function behind it; it has a row, too. */
#define LIBC_BEGIN(type, name, behind, parameters)                                                           \
    INTERCEPT type libc_##name parameters __asm__(#name);                                                    \
    type libc_##name parameters                                                                              \
    {                                                                                                        \
        uintptr_t pc = CALLER_PC;                                                                            \
        __typeof__(&libc_##behind) real = REAL_NAMED(#behind, __typeof__(&libc_##behind));

#define LIBC_ROW(type, name, behind, parameters, arguments, before, call, after)                             \
    LIBC_BEGIN(type, name, behind, parameters)                                                               \
    if (!libc_watched(pc))                                                                                   \
        return real arguments;                                                                               \
    before;                                                                                                  \
    type result = real call;                                                                                 \
    after;                                                                                                   \
    return result;                                                                                           \
    }

#define LIBC_ROW_VOID(name, parameters, arguments, before, after)                                            \
    LIBC_BEGIN(void, name, name, parameters)                                                                 \
    if (!libc_watched(pc)) {                                                                                 \
        real arguments;                                                                                      \
        return;                                                                                              \
    }                                                                                                        \
    before;                                                                                                  \
    real arguments;                                                                                          \
    after;                                                                                                   \
    }

/* Names may be made by macros, for what exists for characters and wide characters. */
#define ROW(type, name, parameters, arguments, before, after)                                                \
    LIBC_ROW(type, name, name, parameters, arguments, before, arguments, after)
#define ROW_VOID(name, parameters, arguments, before, after)                                                 \
    LIBC_ROW_VOID(name, parameters, arguments, before, after)
/* With other arguments, `call`, for the real function: a place for a result that the caller does not want. */
#define ROW_CALL(type, name, parameters, arguments, before, call, after)                                     \
    LIBC_ROW(type, name, name, parameters, arguments, before, call, after)
/* With another function in its place. */
#define ROW_OTHER(type, name, behind, parameters, arguments, before, after)                                  \
    LIBC_ROW(type, name, behind, parameters, arguments, before, arguments, after)

/* A function with a format, and the one that takes the arguments as a list: both have the same row.
 * `seen` is the list for whoever asks first. (The list itself is the real function's.) */
#define LIBC_FORMAT(type, name, listed, parameters, arguments, format, before, after)                        \
    INTERCEPT type libc_##listed(LIBC_ALL parameters, va_list list) __asm__(#listed);                        \
    type libc_##listed(LIBC_ALL parameters, va_list list)                                                    \
    {                                                                                                        \
        uintptr_t pc = CALLER_PC;                                                                            \
        __typeof__(&libc_##listed) real = REAL_NAMED(#listed, __typeof__(&libc_##listed));                   \
        if (!libc_watched(pc))                                                                               \
            return real(LIBC_ALL arguments, list);                                                           \
        LIBC_FORMAT_CALL(type, arguments, before, after);                                                    \
        return result;                                                                                       \
    }                                                                                                        \
    INTERCEPT type libc_##name(LIBC_ALL parameters, ...) __asm__(#name);                                     \
    type libc_##name(LIBC_ALL parameters, ...)                                                               \
    {                                                                                                        \
        uintptr_t pc = CALLER_PC;                                                                            \
        __typeof__(&libc_##listed) real = REAL_NAMED(#listed, __typeof__(&libc_##listed));                   \
        va_list list;                                                                                        \
        va_start(list, format);                                                                              \
        if (!libc_watched(pc)) {                                                                             \
            type unseen = real(LIBC_ALL arguments, list);                                                    \
            va_end(list);                                                                                    \
            return unseen;                                                                                   \
        }                                                                                                    \
        LIBC_FORMAT_CALL(type, arguments, before, after);                                                    \
        va_end(list);                                                                                        \
        return result;                                                                                       \
    }
#define LIBC_FORMAT_CALL(type, arguments, before, after)                                                     \
    va_list seen;                                                                                            \
    va_copy(seen, list);                                                                                     \
    before;                                                                                                  \
    type result = real(LIBC_ALL arguments, list);                                                            \
    after;                                                                                                   \
    va_end(seen)
#define LIBC_ALL(...) __VA_ARGS__

#define FORMAT(type, name, listed, parameters, arguments, before, after)                                     \
    LIBC_FORMAT(type, name, listed, parameters, arguments, format, before, after)
