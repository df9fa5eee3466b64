/* Goldilocks, lazy (with the usual list, and with one that is folded all the time) and eager: the short
 * circuits, the rules that the paper does not have, and the bound on memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "support/test_detectors.h"
#include "steps.h"

static const struct detector *const tested[] = {&detector_goldilocks, &detector_goldilocks_tiny,
                                                &detector_goldilocks_eager};

/* All variants, in an open and in a closed world, find V0's race there (0: find none). */
static void check(const struct step *step, size_t count, uint64_t expected)
{
    assert_int_equal(second_of(step, count, &detector_oracle, true, 0, NULL), expected);
    for (size_t i = 0; i < array_length(tested); i++)
        for (int closed = 0; closed < 2; closed++)
            assert_int_equal(second_of(step, count, tested[i], closed, 0, NULL), expected);
}

#define RACE_AT(at, ...)                                                                                     \
    do {                                                                                                     \
        static const struct step steps[] = {__VA_ARGS__};                                                    \
        check(steps, array_length(steps), at);                                                               \
    } while (0)
#define NO_RACE(...) RACE_AT(0, __VA_ARGS__)

/* --- short circuits --- */

/* Fig. 3 as printed keeps l as x's lock at the second write, which does not hold it, and misses the race. */
static void a_lock_counts_only_if_held_at_the_last_access(void **state)
{
    (void)state;
    RACE_AT(8, T(0, OP_FORK, 1), T(0, OP_FORK, 2), T(1, acq, 0), T(1, w, 0), T(1, rel, 0), T(1, w, 0),
            T(2, acq, 0), T(2, w, 0), T(2, rel, 0));
    RACE_AT(8, T(0, OP_FORK, 1), T(0, OP_FORK, 2), T(1, acq, 0), T(1, r, 0), T(1, rel, 0), T(1, r, 0),
            T(2, acq, 0), T(2, w, 0), T(2, rel, 0));
}

static void a_lock_held_by_both_for_reading_orders_nothing(void **state)
{
    (void)state;
    RACE_AT(5, T(0, OP_FORK, 1), T(0, racq, 0), T(0, w, 0), T(1, racq, 0), T(1, r, 0));
    RACE_AT(6, T(0, OP_FORK, 1), T(0, racq, 0), T(0, w, 0), T(0, rrel, 0), T(1, racq, 0), T(1, r, 0));
    NO_RACE(T(0, OP_FORK, 1), T(0, racq, 0), T(0, r, 0), T(0, rrel, 0), T(1, acq, 0), T(1, w, 0),
            T(1, rel, 0), T(0, racq, 0), T(0, r, 0));
}

/* T0 holds l for writing and reading, steps down to reading, and writes once more. */
static void stepping_down_leaves_a_reader(void **state)
{
    (void)state;
    RACE_AT(8, T(0, OP_FORK, 1), T(0, acq, 0), T(0, racq, 0), T(0, w, 0), T(0, rel, 0), T(0, w, 0),
            T(1, racq, 0), T(1, r, 0));
    NO_RACE(T(0, OP_FORK, 1), T(0, acq, 0), T(0, racq, 0), T(0, w, 0), T(0, rel, 0), T(1, racq, 0),
            T(1, r, 0));
}

/* --- rules --- */

/* B0's round orders T0 and T1. Its id is used again by B1's round, of T2 and T3: no edge from the first. */
static void a_round_id_used_again_is_another_round(void **state)
{
    (void)state;
    RACE_AT(13, T(0, OP_FORK, 1), T(0, OP_FORK, 2), T(0, OP_FORK, 3), T(0, w, 0), T(0, bin, 0), T(1, bin, 0),
            T(0, bout, 0), T(1, bout, 0), T(2, bin, 1), T(3, bin, 1), T(2, bout, 1), T(1, r, 0), T(2, r, 0));
    NO_RACE(T(0, OP_FORK, 1), T(0, OP_FORK, 2), T(0, w, 0), T(0, bin, 0), T(1, bin, 0), T(0, bout, 0),
            T(1, bout, 0), T(1, bin, 1), T(2, bin, 1), T(2, bout, 1), T(1, bout, 1), T(2, w, 0));
}

/* The same, with folds at any place before, between and after the two rounds. */
static void a_stored_lockset_forgets_rounds(void **state)
{
    (void)state;
    for (uint32_t filler = 0; filler < 40; filler++) {
        struct step step[200];
        size_t count = 0;
#define ADD(...)                                                                                             \
    step[count++] = (struct step)                                                                            \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
        for (uint32_t child = 1; child <= 3; child++)
            ADD(0, OP_FORK, child);
        ADD(0, w, 0);
        ADD(0, bin, 0);
        ADD(1, bin, 0);
        for (uint32_t i = 0; i < filler; i++)
            ADD(3, vw, 0);
        ADD(0, bout, 0);
        ADD(1, bout, 0);
        for (uint32_t i = 0; i < filler; i++)
            ADD(3, vw, 0);
        ADD(2, bin, 1);
        ADD(3, bin, 1);
        ADD(2, bout, 1);
        for (uint32_t i = 0; i < filler; i++)
            ADD(3, vw, 0);
        ADD(2, w, 0);
#undef ADD
        check(step, count, count);
    }
}

static void volatile_writes_order_later_reads_only(void **state)
{
    (void)state;
    NO_RACE(T(0, OP_FORK, 1), T(0, w, 0), T(0, vw, 0), T(0, vw, 0), T(1, vr, 0), T(1, w, 0));
    RACE_AT(5, T(0, OP_FORK, 1), T(0, w, 0), T(0, vw, 0), T(1, vw, 0), T(1, w, 0));
    RACE_AT(5, T(0, OP_FORK, 1), T(0, w, 0), T(0, vr, 0), T(1, vw, 0), T(1, w, 0));
}

static void a_thread_may_be_joined_twice(void **state)
{
    (void)state;
    NO_RACE(T(0, OP_FORK, 1), T(0, OP_FORK, 2), T(1, w, 0), T(0, OP_JOIN, 1), T(2, OP_JOIN, 1), T(2, w, 0));
}

/* --- reads and writes --- */

static void reads_do_not_conflict(void **state)
{
    (void)state;
    NO_RACE(T(0, w, 0), T(0, OP_FORK, 1), T(0, OP_FORK, 2), T(1, r, 0), T(2, r, 0), T(0, r, 0), T(1, r, 0));
    RACE_AT(6, T(0, w, 0), T(0, OP_FORK, 1), T(0, OP_FORK, 2), T(1, r, 0), T(2, r, 0), T(1, w, 0));
    NO_RACE(T(0, w, 0), T(0, OP_FORK, 1), T(0, OP_FORK, 2), T(1, r, 0), T(2, r, 0), T(0, OP_JOIN, 1),
            T(0, OP_JOIN, 2), T(0, w, 0), T(0, OP_ALLOC, 0), T(0, w, 0));
}

static void a_read_is_replaced_only_by_one_that_follows_it(void **state)
{
    (void)state;
    RACE_AT(6, T(0, OP_FORK, 1), T(0, OP_FORK, 2), T(1, r, 0), T(2, r, 0), T(2, vw, 0), T(0, w, 0));
    RACE_AT(7, T(0, OP_FORK, 1), T(0, OP_FORK, 2), T(1, r, 0), T(2, r, 0), T(2, vw, 0), T(0, vr, 0),
            T(0, w, 0));
    NO_RACE(T(0, OP_FORK, 1), T(0, OP_FORK, 2), T(1, r, 0), T(1, vw, 0), T(2, vr, 0), T(2, r, 0), T(2, vw, 1),
            T(0, vr, 1), T(0, w, 0));
}

static void rules_are_counted(void **state)
{
    (void)state;
    static const struct step steps[] = {
        T(0, OP_FORK, 1), T(0, acq, 0), T(0, w, 0),  T(0, r, 0), T(0, rel, 0), T(1, acq, 0), T(1, r, 0),
        T(1, rel, 0),     T(1, r, 0),   T(0, vw, 0), T(0, w, 1), T(0, vw, 0),  T(1, vr, 0),  T(1, r, 1),
    };
    static const struct {
        const char *rule;
        uint64_t fired;
    } expected[] = {
        {"FIRST ACCESS", 2}, {"SAME SEGMENT", 1}, {"HELD LOCK", 1}, {"KNOWN ORDER", 0}, {"LOCKSET", 2}};
    struct script script;
    struct replay replay;
    struct detector_stats stats;
    script_init(&script);
    for (size_t i = 0; i < array_length(steps); i++)
        script_add(&script, steps[i].thread, steps[i].op, steps[i].target);
    script_run(&script, &detector_goldilocks, true, &replay);
    replay.detector->stats(replay.state, &stats);
    for (size_t i = 0; i < array_length(expected); i++)
        for (size_t j = 0; j < stats.rule_count; j++)
            if (strcmp(stats.rules[j].rule, expected[i].rule) == 0)
                assert_int_equal(stats.rules[j].fired, expected[i].fired);
    replay_free(&replay);
    script_free(&script);
}

/* --- bounded memory --- */

/* Variables that are touched once, each in a segment of its own, then a long run of synchronization: what is
 * kept does not grow with it, and the order with what is touched at the end is still known. */
static size_t peak_after(uint32_t rounds, bool closed)
{
    enum { THREADS = 8, LOCKS = 50, VARIABLES = 2000 };
    struct script script;
    struct replay replay;
    script_init(&script);
    for (uint32_t t = 1; t <= THREADS; t++)
        script_add(&script, 0, OP_FORK, t);
    for (uint32_t x = 0; x < VARIABLES; x++) {
        uint32_t t = 1 + x % THREADS;
        script_add(&script, t, OP_WRITE, x);
        script_add(&script, t, OP_ACQUIRE, x % LOCKS);
        script_add(&script, t, OP_RELEASE, x % LOCKS);
    }
    for (uint32_t i = 0; i < rounds; i++) { /* T8 stands aside */
        uint32_t t = 1 + i * 5 % (THREADS - 1), lock = i * 7 % LOCKS;
        script_add(&script, t, OP_ACQUIRE, lock);
        script_add(&script, t, OP_RELEASE, lock);
    }
    for (uint32_t x = 0; x < VARIABLES; x++)
        script_add(&script, 1, OP_WRITE, x);
    for (uint32_t x = 0; x < VARIABLES; x += 3)
        script_add(&script, THREADS, OP_READ, x);
    script_run(&script, &detector_goldilocks, closed, &replay);
    size_t peak = replay.host.mem.peak;
    struct replay judge;
    script_run(&script, &detector_vc, closed, &judge);
    assert_true(judge.race_count > 0);
    assert_true(script_same_races(&judge, &replay));
    replay_free(&judge);
    replay_free(&replay);
    script_free(&script);
    return peak;
}

static void memory_does_not_grow_with_the_trace(void **state)
{
    (void)state;
    for (int closed = 0; closed < 2; closed++) {
        size_t shorter = peak_after(20000, closed), longer = peak_after(200000, closed);
        assert_true(shorter < 600000);
        assert_true(longer <= shorter + shorter / 50);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_counts_only_if_held_at_the_last_access),
        cmocka_unit_test(a_lock_held_by_both_for_reading_orders_nothing),
        cmocka_unit_test(stepping_down_leaves_a_reader),
        cmocka_unit_test(a_round_id_used_again_is_another_round),
        cmocka_unit_test(a_stored_lockset_forgets_rounds),
        cmocka_unit_test(volatile_writes_order_later_reads_only),
        cmocka_unit_test(a_thread_may_be_joined_twice),
        cmocka_unit_test(reads_do_not_conflict),
        cmocka_unit_test(a_read_is_replaced_only_by_one_that_follows_it),
        cmocka_unit_test(rules_are_counted),
        cmocka_unit_test(memory_does_not_grow_with_the_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
