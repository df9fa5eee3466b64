/* Counts of what the runtime does, for the counting build (-DPF_COUNT, the library of `bench/live --count`).
 * In every other build count() is nothing at all.
 *
 * Threads count in shards of their own, by atomic additions: a shard has several threads only when there are
 * more than MOST_SHARDS, and a signal handler may count between any two instructions.
 */
#pragma once

#include "base/base.h"

/* name, and what is printed. An access is one call of a compiler's entry point for plain accesses, or what
 * a check of a whole loop stands for. It is answered by the same-epoch test, or makes a step of its
 * own: on the fast path, or by the slow path. */
#define COUNTS(X)                                                                                            \
    X(ACCESSES, "accesses")                                                                                  \
    X(SAME_EPOCH, "same-epoch")                                                                              \
    X(SINGLE_THREADED, "single-threaded") /* of the only thread, where the test has failed: not checked */   \
    X(IN_LOOPS, "in-loops") /* that a check of the compiler's, out of a loop or of fields, stands for */     \
    X(LOOPS, "loops-checked")                                                                                \
    X(SLOW, "slow-checks") /* of accesses, and of ranges that libc's functions access */                     \
    X(LIBC, "libc-ranges")                                                                                   \
    X(EXPANSIONS, "expansions")          /* words that got a record */                                       \
    X(FOLDS, "folds")                    /* records that became words again */                               \
    X(READ_SETS, "read-set-transitions") /* worked out, not those that a thread remembers */                 \
    X(ATOMICS, "atomic-operations")                                                                          \
    X(SYNC, "sync-operations") /* acquires and releases, not those of atomics */                             \
    X(JOINS, "joins")                                                                                        \
    X(JOINS_SKIPPED, "joins-skipped") /* the thread knew what was released */

enum count {
#define X(name, text) COUNT_##name,
    COUNTS(X)
#undef X
        COUNT_KINDS
};

/* How many checks the accesses came to: one for each, but for those that the compiler has put together. */
static inline uint64_t count_checks(const uint64_t counted[COUNT_KINDS])
{
    return counted[COUNT_ACCESSES] - counted[COUNT_IN_LOOPS] + counted[COUNT_LOOPS];
}

#ifdef PF_COUNT

#include "base/atomic.h"

enum { MOST_SHARDS = 1024 };

struct count_shard {
    uint64_t of[COUNT_KINDS];
} __attribute__((aligned(64)));

extern __attribute__((visibility("hidden"))) struct count_shard count_shards[MOST_SHARDS];
/* The shard of the calling thread; 0: not chosen yet. */
extern __attribute__((visibility("hidden"))) __thread unsigned count_mine
    __attribute__((tls_model("initial-exec")));

__attribute__((visibility("hidden"))) void count_choose_shard(void);

/* To standard error, once. */
__attribute__((visibility("hidden"))) void count_print(void);

/* In the child of a fork: what was counted is the parent's. */
__attribute__((visibility("hidden"))) void count_forked(void);

hot_inline void count_add(enum count what, uint64_t number)
{
    if (unlikely(count_mine == 0))
        count_choose_shard();
    add_relaxed(&count_shards[count_mine % MOST_SHARDS].of[what], number);
}

#define count(what)              count_add(COUNT_##what, 1)
#define count_many(what, number) count_add(COUNT_##what, number)

/* The condition `yes`, counted if it holds and so does `when`. */
#define count_if(what, when, yes)                                                                            \
    ({                                                                                                       \
        bool holds_ = (yes);                                                                                 \
        if (holds_ && (when))                                                                                \
            count(what);                                                                                     \
        holds_;                                                                                              \
    })

#else

#define count(what)               ((void)0)
#define count_many(what, number)  ((void)0)
#define count_if(what, when, yes) (yes)
#define count_print()             ((void)0)
#define count_forked()            ((void)0)

#endif
