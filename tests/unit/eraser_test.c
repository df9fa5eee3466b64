/* Eraser alarms where its discipline is broken, race or not; and the precise detectors know better. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "steps.h"

#define ERASER(steps, variable, race)                                                                        \
    second_of(steps, array_length(steps), &detector_eraser, false, variable, race)

#define ORACLE(steps, variable) second_of(steps, array_length(steps), &detector_oracle, false, variable, NULL)

/* An alarm at this event, about this earlier one, although there is no race. */
#define FALSE_ALARM(steps, at, because_of, as)                                                               \
    do {                                                                                                     \
        struct race race = {0};                                                                              \
        assert_int_equal(ERASER(steps, 0, &race), at);                                                       \
        assert_int_equal(race.first.event, because_of);                                                      \
        assert_int_equal(race.kind, as);                                                                     \
        assert_int_equal(ORACLE(steps, 0), 0);                                                               \
    } while (0)

/* 004 §2.3: o1.x moves from lock L0 to lock L1 when T2 swaps the references. */
static void intbox_is_a_false_alarm(void **state)
{
    (void)state;
    static const struct step steps[] = {
        T(0, w, 0),   T(0, OP_FORK, 1), T(0, OP_FORK, 2), T(0, OP_FORK, 3), T(1, acq, 0), T(1, r, 0),
        T(1, w, 0),   T(1, rel, 0),     T(2, acq, 0),     T(2, acq, 1),     T(2, rel, 0), T(2, rel, 1),
        T(3, acq, 1), T(3, r, 0),       T(3, w, 0),       T(3, rel, 1),
    };
    FALSE_ALARM(steps, 14, 7, RACE_WRITE_READ);
}

/* 004 appendix A: oneTask.out, handed over by a queue, then by fork and join. */
static void task_queue_is_a_false_alarm(void **state)
{
    (void)state;
    enum { QLOCK, TLOCK };
    static const struct step steps[] = {
        T(0, OP_FORK, 1), T(0, OP_FORK, 2), T(1, w, 0),       T(1, acq, QLOCK), T(1, rel, QLOCK),
        T(2, acq, QLOCK), T(2, rel, QLOCK), T(2, OP_FORK, 3), T(2, OP_FORK, 4), T(3, acq, TLOCK),
        T(3, r, 0),       T(3, w, 0),       T(3, rel, TLOCK), T(4, acq, TLOCK), T(4, r, 0),
        T(4, w, 0),       T(4, rel, TLOCK), T(2, OP_JOIN, 3), T(2, OP_JOIN, 4), T(2, r, 0),
    };
    FALSE_ALARM(steps, 20, 16, RACE_WRITE_READ);
}

/* 001 §2.3.6: a writer takes both locks, so a reader needs only one, either one. */
static void two_locks_are_a_false_alarm(void **state)
{
    (void)state;
    static const struct step steps[] = {
        T(0, w, 0),   T(0, OP_FORK, 1), T(0, OP_FORK, 2), T(1, acq, 0), T(1, r, 0),
        T(1, rel, 0), T(2, acq, 0),     T(2, acq, 1),     T(2, w, 0),   T(2, rel, 0),
        T(2, rel, 1), T(1, acq, 1),     T(1, r, 0),       T(1, rel, 1),
    };
    FALSE_ALARM(steps, 13, 9, RACE_WRITE_READ);
}

static void other_synchronization_does_not_exist(void **state)
{
    (void)state;
    static const struct step volatiles[] = {T(0, OP_FORK, 1), T(0, w, 0), T(0, vw, 0), T(1, vr, 0),
                                            T(1, w, 0)};
    FALSE_ALARM(volatiles, 5, 2, RACE_WRITE_WRITE);
    static const struct step barrier[] = {T(0, OP_FORK, 1), T(0, r, 0),    T(0, bin, 0), T(1, bin, 0),
                                          T(1, bout, 0),    T(0, bout, 0), T(1, w, 0)};
    FALSE_ALARM(barrier, 7, 2, RACE_READ_WRITE);
    static const struct step join[] = {T(0, OP_FORK, 1), T(1, w, 0), T(0, OP_JOIN, 1), T(0, r, 0),
                                       T(0, w, 0)};
    FALSE_ALARM(join, 5, 2, RACE_WRITE_WRITE);
}

static void the_discipline_is_accepted(void **state)
{
    (void)state;
    static const struct step one_lock[] = {T(0, w, 0), T(0, OP_FORK, 1), T(1, acq, 0),
                                           T(1, w, 0), T(1, rel, 0),     T(0, acq, 0),
                                           T(0, r, 0), T(0, w, 0),       T(0, rel, 0)};
    assert_int_equal(ERASER(one_lock, 0, NULL), 0);
    static const struct step read_only[] = {T(0, w, 0), T(0, OP_FORK, 1), T(1, r, 0), T(0, r, 0), T(1, r, 0)};
    assert_int_equal(ERASER(read_only, 0, NULL), 0);
    static const struct step initialized[] = {T(0, w, 0), T(0, w, 0), T(0, r, 0), T(0, OP_FORK, 1)};
    assert_int_equal(ERASER(initialized, 0, NULL), 0);
}

/* A lock held for reading protects reads, not writes. */
static void reader_locks_protect_reads_only(void **state)
{
    (void)state;
    static const struct step right[] = {
        T(0, OP_FORK, 1), T(0, acq, 0),  T(0, w, 0), T(0, rel, 0), T(1, racq, 0), T(1, r, 0),   T(1, rrel, 0),
        T(0, acq, 0),     T(0, racq, 0), T(0, w, 0), T(0, rel, 0), T(0, r, 0),    T(0, rrel, 0)};
    assert_int_equal(ERASER(right, 0, NULL), 0);
    static const struct step wrong[] = {T(0, OP_FORK, 1), T(0, racq, 0), T(0, w, 0),   T(1, racq, 0),
                                        T(1, w, 0),       T(1, rrel, 0), T(0, rrel, 0)};
    struct race race = {0};
    assert_int_equal(ERASER(wrong, 0, &race), 5);
    assert_int_equal(race.first.event, 3);
    assert_int_equal(ORACLE(wrong, 0), 5);
}

static void alloc_makes_virgin(void **state)
{
    (void)state;
    static const struct step steps[] = {T(0, OP_FORK, 1), T(0, w, 0), T(1, OP_ALLOC, 0), T(1, w, 0),
                                        T(1, w, 0)};
    assert_int_equal(ERASER(steps, 0, NULL), 0);
}

/* What it misses: T0's write is in the exclusive state, where no lock is asked for. */
static void a_race_with_the_first_thread_is_missed(void **state)
{
    (void)state;
    static const struct step steps[] = {T(0, OP_FORK, 1), T(0, w, 0), T(1, acq, 0), T(1, w, 0), T(1, rel, 0)};
    assert_int_equal(ERASER(steps, 0, NULL), 0);
    assert_int_equal(ORACLE(steps, 0), 4);
}

/* The set is empty at event 6, but T1's read conflicts with nothing of another thread; T0's next write does.
 */
static void an_alarm_waits_for_a_conflict(void **state)
{
    (void)state;
    static const struct step steps[] = {T(0, OP_FORK, 1), T(0, r, 0), T(1, acq, 0), T(1, w, 0),
                                        T(1, rel, 0),     T(1, r, 0), T(0, w, 0)};
    struct race race = {0};
    assert_int_equal(ERASER(steps, 0, &race), 7);
    assert_int_equal(race.first.event, 6);
    assert_int_equal(race.kind, RACE_READ_WRITE);
}

static void it_says_that_it_is_imprecise(void **state)
{
    (void)state;
    assert_false(detector_eraser.precise);
    assert_memory_equal(detector_eraser.promise, "imprecise", 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intbox_is_a_false_alarm),
        cmocka_unit_test(task_queue_is_a_false_alarm),
        cmocka_unit_test(two_locks_are_a_false_alarm),
        cmocka_unit_test(other_synchronization_does_not_exist),
        cmocka_unit_test(the_discipline_is_accepted),
        cmocka_unit_test(reader_locks_protect_reads_only),
        cmocka_unit_test(alloc_makes_virgin),
        cmocka_unit_test(a_race_with_the_first_thread_is_missed),
        cmocka_unit_test(an_alarm_waits_for_a_conflict),
        cmocka_unit_test(it_says_that_it_is_imprecise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
