/* Random tapes become traces in which exactly those accesses race that do by definition: byte by byte, each
 * pair. */
#include "random_tape.h"

static void compare(uint64_t first_seed)
{
    struct problem problem;
    bool found[STEPS + 1] = {false};
    struct analysis a = {.path = path, .detector = &detector_oracle, .all = true};
    if (!analysis_run(&a, &problem))
        fail_msg("seed %lu: %s", (unsigned long)first_seed, problem.reason);
    for (size_t i = 0; i < a.replay.race_count; i++)
        found[number_at(&a.reader.names, a.replay.race[i].second.location)] = true;
    analysis_free(&a);
    for (unsigned i = 1; i <= STEPS; i++)
        if (found[i] != racy[i])
            fail_msg("seed %lu: access %u: %s", (unsigned long)first_seed, i,
                     racy[i] ? "its race is not in the trace" : "a race that there is not");
}

#ifdef __SANITIZE_ADDRESS__
enum { TAPES = 60 };
#else
enum { TAPES = 300 };
#endif

static void random_tapes(void **state)
{
    (void)state;
    unsigned with_races = 0, without = 0;
    snprintf(path, sizeof path, P_tmpdir "/transcribe-%ld.pft", (long)getpid());
    for (uint64_t first = 1; first <= TAPES; first++) {
        seed = first * UINT64_C(0x9e3779b97f4a7c15);
        make_tape();
        transcribe();
        compare(first);
        for (unsigned i = 1; i <= STEPS; i++)
            *(racy[i] ? &with_races : &without) += 1;
    }
    unlink(path);
    assert_true(with_races > 3 * TAPES && without > 3 * TAPES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_tapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
