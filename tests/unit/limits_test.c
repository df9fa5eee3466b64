/* Beyond the limits of packed epochs: more releases than a clock holds, more threads than there are slots.
 * In every case fasttrack2 must give the oracle's answer, and the slow path must really have been taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/script.h"

static void note_of(const struct replay *r, char note[160])
{
    struct detector_stats stats;
    r->detector->stats(r->state, &stats);
    memcpy(note, stats.note, sizeof stats.note);
}

/* How many slots the sweeps gave back. */
static uint64_t recycled_slots(const struct replay *r)
{
    char note[160];
    unsigned long long sweeps, slots = 0;
    note_of(r, note);
    return sscanf(note, "%llu sweeps recycled %llu slots", &sweeps, &slots) == 2 ? slots : 0;
}

/* fasttrack2 and the oracle agree, in an open and (where the trace allows it) in a closed world; there, sweeps give
 * back at least so many slots. */
static void check(const struct script *s, bool closed_allowed, size_t least_races, uint64_t least_recycled)
{
    struct replay oracle;
    script_run(s, &detector_oracle, false, &oracle);
    assert_true(oracle.race_count >= least_races);
    const struct detector *under_test[] = {&detector_fasttrack2, &detector_fasttrack2l};
    for (size_t i = 0; i < array_length(under_test); i++)
        for (int closed = 0; closed <= closed_allowed; closed++) {
            struct replay replay;
            script_run(s, under_test[i], closed, &replay);
            assert_true(script_same_races(&oracle, &replay));
            if (closed && under_test[i] == &detector_fasttrack2)
                assert_true(recycled_slots(&replay) >= least_recycled);
            replay_free(&replay);
        }
    replay_free(&oracle);
}

/* T1 writes V0..V4, one each million releases; T2 learns of the first three by reading the volatile in between,
 * then reads all: V3 and V4 race. */
static void more_releases_than_a_clock_holds(void **state)
{
    (void)state;
    enum { RELEASES = (1 << 22) + 1000, EACH = 1 << 20 };
    struct script s;
    script_init(&s);
    script_add(&s, 0, OP_FORK, 1);
    script_add(&s, 0, OP_FORK, 2);
    uint32_t written = 0;
    for (uint32_t i = 0; i < RELEASES; i++) {
        if (i % EACH == EACH / 2)
            script_add(&s, 1, OP_WRITE, written++);
        script_add(&s, 1, OP_VWRITE, 0);
        if (i == 3 * EACH)
            script_add(&s, 2, OP_VREAD, 0);
    }
    script_add(&s, 1, OP_WRITE, written++);
    assert_int_equal(written, 5);
    for (uint32_t v = 0; v < written; v++)
        script_add(&s, 2, OP_READ, v);
    struct replay replay;
    script_run(&s, &detector_fasttrack2, true, &replay);
    for (uint32_t v = 0; v < written; v++)
        assert_int_equal(script_second(&s, &replay, v), v < 3 ? 0 : s.count - written + v + 1);
    assert_true(replay.host.mem.peak < 1 << 20);
    struct detector_stats stats;
    detector_fasttrack2.stats(replay.state, &stats);
    assert_int_equal(stats.max_clock, (1 << 21) - 1); /* reached, and passed by a fresh slot */
    replay_free(&replay);
    check(&s, true, 2, 0);
    script_free(&s);
}

enum { MANY = 5000 };

/* Threads that come and go: each takes the lock, counts, and touches one variable of 64 without it. */
static void threads_joined(void **state)
{
    (void)state;
    struct script s;
    script_init(&s);
    script_add(&s, 0, OP_WRITE, 0);
    for (uint32_t i = 1; i <= MANY; i++) {
        script_add(&s, 0, OP_FORK, i);
        script_add(&s, i, OP_ACQUIRE, 0);
        script_add(&s, i, OP_READ, 0);
        script_add(&s, i, OP_WRITE, 0);
        script_add(&s, i, OP_RELEASE, 0);
        script_add(&s, i, OP_WRITE, 1 + i % 64);
        if (i > 1)
            script_add(&s, 0, OP_JOIN, i - 1); /* two alive at a time: neighbours may race */
    }
    script_add(&s, 0, OP_WRITE, 1 + MANY % 64); /* the last thread was not joined */
    check(&s, true, 1, MANY - 1100);
    script_free(&s);
}

/* Threads one after the other, each with a variable of its own: in a closed world all of it is behind everybody, and
 * memory is that of the few slots in use. */
static void threads_in_a_row(void **state)
{
    (void)state;
    struct script s;
    script_init(&s);
    for (uint32_t i = 1; i <= 2 * MANY; i++) {
        script_add(&s, 0, OP_FORK, i);
        script_add(&s, i, OP_WRITE, i);
        script_add(&s, 0, OP_JOIN, i);
    }
    script_add(&s, 0, OP_FORK, 0x10000);
    script_add(&s, 0x10000, OP_WRITE, 1);
    script_add(&s, 0, OP_WRITE, 1);
    struct replay replay;
    script_run(&s, &detector_fasttrack2, true, &replay);
    assert_true(recycled_slots(&replay) >= 2 * MANY - 1100);
    assert_true(replay.host.mem.peak < 32 << 20);
    replay_free(&replay);
    check(&s, true, 1, 2 * MANY - 1100);
    script_free(&s);
}

/* Nobody is joined, everybody writes a variable of its own, and the last thread touches them all: the very
 * first write is still known. More slots are truly needed than there are. */
static void threads_detached(void **state)
{
    (void)state;
    struct script s;
    script_init(&s);
    for (uint32_t i = 1; i <= MANY; i++)
        script_add(&s, 0, OP_FORK, i);
    for (uint32_t i = 1; i <= MANY; i++)
        script_add(&s, i, OP_WRITE, i);
    script_add(&s, MANY, OP_WRITE, 1);
    script_add(&s, 2, OP_VWRITE, 0);
    script_add(&s, MANY, OP_VREAD, 0);
    script_add(&s, MANY, OP_READ, 2); /* ordered by the volatile */
    for (uint32_t i = 3; i < MANY; i += 7)
        script_add(&s, MANY, OP_READ, i);
    struct replay replay;
    script_run(&s, &detector_fasttrack2, true, &replay);
    assert_int_equal(script_second(&s, &replay, 1), 2 * MANY + 1);
    assert_int_equal(script_second(&s, &replay, 2), 0);
    replay_free(&replay);
    check(&s, true, MANY / 7, 0);
    script_free(&s);
}

/* 3,000 threads read one variable before one of them writes it: a read set wider than the slots. */
static void readers_beyond_the_slots(void **state)
{
    (void)state;
    enum { READERS = 3000 };
    struct script s;
    script_init(&s);
    script_add(&s, 0, OP_WRITE, 0);
    for (uint32_t i = 1; i <= READERS; i++) {
        script_add(&s, 0, OP_FORK, i);
        script_add(&s, i, OP_READ, 0);
        script_add(&s, i, OP_READ, 1);
    }
    for (uint32_t i = 1; i <= READERS; i++)
        if (i != READERS - 1)
            script_add(&s, 0, OP_JOIN, i);
    script_add(&s, 0, OP_WRITE, 0); /* races with the one that was not joined */
    script_add(&s, 0, OP_JOIN, READERS - 1);
    script_add(&s, 0, OP_WRITE, 1); /* ordered with all */
    struct replay replay;
    script_run(&s, &detector_fasttrack2, true, &replay);
    assert_int_equal(replay.race_count, 1);
    assert_int_equal(script_second(&s, &replay, 0), 1 + 3 * READERS + READERS - 1 + 1);
    assert_int_equal(replay.race[0].first.event, 1 + 3 * (READERS - 2) + 2);
    replay_free(&replay);
    check(&s, true, 1, 0);
    script_free(&s);
}

/* Threads that nobody forked are unordered with everything, however late they appear: nothing may have been
 * erased when slots were swept. */
static void late_roots(void **state)
{
    (void)state;
    struct script s;
    script_init(&s);
    script_add(&s, 0, OP_WRITE, 0);
    for (uint32_t i = 1; i <= MANY; i++) {
        script_add(&s, 0, OP_FORK, i);
        script_add(&s, i, OP_WRITE, 1 + i % 8);
        script_add(&s, 0, OP_JOIN, i);
    }
    for (uint32_t v = 0; v <= 8; v++)
        script_add(&s, MANY + 1 + v, OP_READ, v);
    check(&s, false, 9, 0);
    script_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_releases_than_a_clock_holds),
        cmocka_unit_test(threads_joined),
        cmocka_unit_test(threads_in_a_row),
        cmocka_unit_test(threads_detached),
        cmocka_unit_test(readers_beyond_the_slots),
        cmocka_unit_test(late_roots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
