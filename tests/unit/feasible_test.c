/* Feasibility: every refusal with its reason, and what the check resolves for detectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "support/script.h"

struct step {
    uint32_t thread;
    enum op op;
    uint32_t target;
};

/* Checks the steps; returns how many are good. events[] is what the check made of them. */
static size_t check(const struct step *steps, size_t count, bool closed, struct event *events,
                    struct problem *problem)
{
    struct script s;
    script_init(&s);
    for (size_t i = 0; i < count; i++)
        script_add(&s, steps[i].thread, steps[i].op, steps[i].target);
    struct feasible *f = feasible_new(&s.names, closed);
    memcpy(events, s.event, count * sizeof *events);
    size_t good = feasible_check(f, events, count, problem);
    feasible_free(f);
    script_free(&s);
    return good;
}

static void refused(const struct step *steps, size_t count, const char *reason)
{
    struct event events[16];
    struct problem problem;
    assert_int_equal(check(steps, count, false, events, &problem), count - 1); /* only the last is bad */
    assert_string_equal(problem.reason, reason);
}

#define REFUSED(reason, ...)                                                                                 \
    refused((const struct step[]){__VA_ARGS__}, array_length(((const struct step[]){__VA_ARGS__})), reason)

static void threads(void **state)
{
    (void)state;
    REFUSED("thread T1 is forked after it has already run", {1, OP_READ, 0}, {0, OP_FORK, 1});
    REFUSED("thread T1 is forked twice", {0, OP_FORK, 1}, {0, OP_FORK, 1});
    REFUSED("thread T1 is forked after it was joined", {0, OP_FORK, 1}, {0, OP_JOIN, 1}, {0, OP_FORK, 1});
    REFUSED("thread T0 forks itself", {0, OP_FORK, 0});
    REFUSED("thread T0 joins itself", {0, OP_JOIN, 0});
    REFUSED("thread T1 is joined but was never started", {0, OP_JOIN, 1});
    REFUSED("thread T1 acts after it was joined", {0, OP_FORK, 1}, {0, OP_JOIN, 1}, {1, OP_READ, 0});
    REFUSED("thread T1 acts after it was joined", {1, OP_READ, 0}, {0, OP_JOIN, 1}, {1, OP_VREAD, 0});
}

static void locks(void **state)
{
    (void)state;
    REFUSED("thread T1 acquires lock L0, which thread T0 holds", {0, OP_ACQUIRE, 0}, {1, OP_ACQUIRE, 0});
    REFUSED("thread T1 acquires lock L0, which thread T0 holds", {0, OP_ACQUIRE, 0}, {0, OP_ACQUIRE, 0},
            {0, OP_RELEASE, 0}, {1, OP_ACQUIRE, 0});
    REFUSED("thread T0 releases lock L0, which it does not hold", {0, OP_RELEASE, 0});
    REFUSED("thread T1 releases lock L0, which it does not hold", {0, OP_ACQUIRE, 0}, {1, OP_RELEASE, 0});
    REFUSED("thread T0 releases lock L0, which it does not hold", {0, OP_ACQUIRE, 0}, {0, OP_RELEASE, 0},
            {0, OP_RELEASE, 0});
    REFUSED("thread T1 acquires lock L0 for reading, which thread T0 holds", {0, OP_ACQUIRE, 0},
            {1, OP_READ_ACQUIRE, 0});
    REFUSED("thread T1 acquires lock L0, which thread T0 holds for reading", {0, OP_READ_ACQUIRE, 0},
            {1, OP_ACQUIRE, 0});
    REFUSED("thread T0 acquires lock L0 for writing while it holds it for reading", {0, OP_READ_ACQUIRE, 0},
            {0, OP_ACQUIRE, 0});
    REFUSED("thread T0 releases lock L0, which it does not hold for reading", {0, OP_ACQUIRE, 0},
            {0, OP_READ_RELEASE, 0});
    REFUSED("thread T0 releases lock L0, which it holds for reading only", {0, OP_READ_ACQUIRE, 0},
            {0, OP_RELEASE, 0});
}

static void barriers(void **state)
{
    (void)state;
    REFUSED("thread T0 leaves barrier B0 without having arrived", {0, OP_BARRIER_OUT, 0});
    REFUSED("thread T0 arrives at barrier B0 again without having left it", {0, OP_BARRIER_IN, 0},
            {0, OP_BARRIER_IN, 0});
    REFUSED("thread T0 leaves barrier B0 without having arrived", {0, OP_BARRIER_IN, 0},
            {0, OP_BARRIER_OUT, 0}, {0, OP_BARRIER_OUT, 0});
    REFUSED("thread T1 leaves barrier B1 without having arrived", {1, OP_BARRIER_IN, 0},
            {0, OP_BARRIER_IN, 1}, {1, OP_BARRIER_OUT, 1});
}

static void a_closed_world_has_one_root(void **state)
{
    (void)state;
    const struct step steps[] = {{0, OP_READ, 0}, {1, OP_READ, 0}};
    struct event events[2];
    struct problem problem;
    assert_int_equal(check(steps, 2, false, events, &problem), 2);
    assert_int_equal(check(steps, 2, true, events, &problem), 1);
    assert_string_equal(problem.reason, "thread T1 acts before it was forked");
}

static void first_events_of_roots_are_flagged(void **state)
{
    (void)state;
    const struct step steps[] = {{0, OP_FORK, 1}, {0, OP_READ, 0}, {1, OP_READ, 0}, {2, OP_ACQUIRE, 0}};
    struct event events[4];
    struct problem problem;
    assert_int_equal(check(steps, 4, false, events, &problem), 4);
    assert_int_equal(events[0].flags, EVENT_STARTS_THREAD);
    assert_int_equal(events[1].flags, 0);
    assert_int_equal(events[2].flags, 0); /* forked */
    assert_int_equal(events[3].flags, EVENT_STARTS_THREAD);
}

static void only_outermost_lock_operations_count(void **state)
{
    (void)state;
    const struct step steps[] = {{0, OP_ACQUIRE, 0},      {0, OP_ACQUIRE, 0},      {0, OP_READ_ACQUIRE, 0},
                                 {0, OP_READ_ACQUIRE, 0}, {0, OP_RELEASE, 0},      {0, OP_RELEASE, 0},
                                 {1, OP_READ_ACQUIRE, 0}, {0, OP_READ_RELEASE, 0}, {0, OP_READ_RELEASE, 0},
                                 {1, OP_READ_RELEASE, 0}, {1, OP_ACQUIRE, 0}};
    const enum op seen[] = {OP_ACQUIRE,      OP_DUMMY,        OP_READ_ACQUIRE, OP_DUMMY,
                            OP_DUMMY,        OP_RELEASE,      OP_READ_ACQUIRE, OP_DUMMY,
                            OP_READ_RELEASE, OP_READ_RELEASE, OP_ACQUIRE};
    struct event events[array_length(steps)];
    struct problem problem;
    assert_int_equal(check(steps, array_length(steps), false, events, &problem), array_length(steps));
    for (size_t i = 0; i < array_length(steps); i++)
        assert_int_equal(events[i].op, seen[i]);
}

static void barrier_rounds(void **state)
{
    (void)state;
    /* Round 1: T0 T1. T0 leaves and arrives for round 2 while T1 is still inside; T2 joins round 2. */
    const struct step steps[] = {{0, OP_BARRIER_IN, 0},  {1, OP_BARRIER_IN, 0}, {0, OP_BARRIER_OUT, 0},
                                 {0, OP_BARRIER_IN, 0},  {2, OP_BARRIER_IN, 0}, {1, OP_BARRIER_OUT, 0},
                                 {2, OP_BARRIER_OUT, 0}, {1, OP_BARRIER_IN, 0}, {0, OP_BARRIER_OUT, 0}};
    const uint32_t round[] = {0, 0, 0, 1, 1, 0, 1, 0, 1}; /* round 3 gets the id of round 1 */
    const bool last[] = {0, 0, 0, 0, 0, 1, 0, 0, 1};
    struct event events[array_length(steps)];
    struct problem problem;
    assert_int_equal(check(steps, array_length(steps), false, events, &problem), array_length(steps));
    for (size_t i = 0; i < array_length(steps); i++) {
        assert_int_equal(events[i].target, round[i]);
        assert_int_equal((events[i].flags & EVENT_LAST_OUT) != 0, last[i]);
    }
}

static void a_thread_may_be_joined_twice(void **state)
{
    (void)state;
    const struct step steps[] = {{0, OP_FORK, 1}, {0, OP_FORK, 2}, {0, OP_JOIN, 1}, {2, OP_JOIN, 1}};
    struct event events[4];
    struct problem problem;
    assert_int_equal(check(steps, 4, true, events, &problem), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads),
        cmocka_unit_test(locks),
        cmocka_unit_test(barriers),
        cmocka_unit_test(a_closed_world_has_one_root),
        cmocka_unit_test(first_events_of_roots_are_flagged),
        cmocka_unit_test(only_outermost_lock_operations_count),
        cmocka_unit_test(barrier_rounds),
        cmocka_unit_test(a_thread_may_be_joined_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
