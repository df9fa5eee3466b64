/* The vocabulary every room shares: branch hints, inlining, and three levels of assertion.
 *
 *   require(c)        always on, for cold paths; a failure is a bug in Photofinish, never bad input
 *   debug_require(c)  only in debug builds, may sit on a hot path
 *   is_valid()-style  whole-structure checks, called from tests and from debug builds
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define likely(c)   __builtin_expect(!!(c), 1)
#define unlikely(c) __builtin_expect(!!(c), 0)
#define hot_inline  static inline __attribute__((__always_inline__))
/* A variable of the quick ways that hardly ever changes: not in one line of the cache with others that do. */
#define read_mostly __attribute__((section(".data.read_mostly")))
/* One that changes under a lock that many wait for: in as few lines of the cache as there is need for. */
#define under_lock      __attribute__((section(".data.under_lock")))
#define cold_path       __attribute__((noinline, cold))
#define array_length(a) (sizeof(a) / sizeof(*(a)))

/* Exit status of a tool that failed itself (as opposed to the program or the input it was given). */
enum { EXIT_TOOL_FAILED = 70 };

/* Ends the process with one line; for failures that are ours: a broken invariant, no memory. */
_Noreturn void tool_failed(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

#define require(c)                                                                                           \
    (likely(c) ? (void)0 : tool_failed("internal error: %s does not hold (%s:%d)", #c, __FILE__, __LINE__))

#ifdef PF_DEBUG
#define debug_require(c) require(c)
#else
#define debug_require(c) ((void)0)
#endif

hot_inline uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

hot_inline size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}
