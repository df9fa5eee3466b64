/* The generator: feasible at every setting, exactly as long as asked, the same everywhere, and race-free
 * where the discipline is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "support/judge.h"
#include "trace/feasible.h"
#include "trace/generate.h"

/* Generates in pieces of a given size, checking every piece. Returns a hash of the events; *count and of_op
 * say what came. The events go to `keep`, too, if that is not NULL (room for options->events). */
static uint64_t generate(const struct generate_options *options, size_t piece, uint64_t *count,
                         uint64_t of_op[OP_COUNT], struct event *keep)
{
    static struct event events[4096];
    struct problem problem = {0};
    struct names names;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    size_t got;
    assert_true(generate_check(options, &problem));
    names_init(&names);
    struct generator *generator = generator_new(options, &names);
    struct feasible *feasible = feasible_new(&names, true);
    *count = 0;
    memset(of_op, 0, OP_COUNT * sizeof *of_op);
    while ((got = generator_next(generator, events, piece)) > 0) {
        for (size_t i = 0; i < got; i++) {
            const struct event *e = &events[i];
            of_op[e->op]++;
            hash = (hash ^ e->op ^ (uint64_t)e->thread << 8 ^ (uint64_t)e->target << 32 ^ e->location) *
                   UINT64_C(0x100000001b3);
            assert_true(e->thread < names.of[NAME_THREAD].count);
            assert_true(e->target < names.of[op_operand[e->op]].count);
        }
        if (keep != NULL)
            memcpy(keep + *count, events, got * sizeof *events);
        *count += got;
        if (feasible_check(feasible, events, got, &problem) != got)
            fail_msg("seed %llu: %s", (unsigned long long)options->seed, problem.reason);
    }
    feasible_free(feasible);
    generator_free(generator);
    names_free(&names);
    return hash;
}

static bool racy(const struct generate_options *options)
{
    static struct event events[JUDGE_MOST];
    static struct judge judge;
    uint64_t count, of_op[OP_COUNT];
    generate(options, 100, &count, of_op, events);
    judge_trace(&judge, events, count);
    return judge.racy > 0;
}

static void test_exact_length(void **state)
{
    (void)state;
    static const uint64_t length[] = {0, 1, 2, 7, 100, 1023, 1024, 1025, 100000};
    for (size_t i = 0; i < array_length(length); i++) {
        struct generate_options options = generate_defaults;
        uint64_t count, of_op[OP_COUNT];
        options.events = length[i];
        generate(&options, 1024, &count, of_op, NULL);
        assert_int_equal(count, length[i]);
    }
}

static void test_pieces_do_not_matter(void **state)
{
    (void)state;
    struct generate_options options = generate_defaults;
    uint64_t count, of_op[OP_COUNT];
    options.events = 5000;
    uint64_t hash = generate(&options, 4096, &count, of_op, NULL);
    assert_int_equal(hash, generate(&options, 1, &count, of_op, NULL));
    assert_int_equal(hash, generate(&options, 333, &count, of_op, NULL));
    options.seed++;
    assert_int_not_equal(hash, generate(&options, 4096, &count, of_op, NULL));
}

/* A changed number here is a changed generator: traces named by their seed are no longer the same. */
static void test_same_everywhere(void **state)
{
    (void)state;
    struct generate_options options = generate_defaults;
    uint64_t count, of_op[OP_COUNT];
    options.events = 100000;
    options.seed = 42;
    assert_int_equal(generate(&options, 1024, &count, of_op, NULL), UINT64_C(0x441685d7ac8391c0));
}

static void test_every_kind_occurs(void **state)
{
    (void)state;
    struct generate_options options = generate_defaults;
    uint64_t count, of_op[OP_COUNT];
    options.events = 100000;
    options.joins = 100;
    generate(&options, 1024, &count, of_op, NULL);
    for (unsigned op = 0; op < OP_BEGIN; op++)
        if (of_op[op] == 0)
            fail_msg("no %s", op_word[op]);
    assert_int_equal(of_op[OP_FORK], options.threads - 1);
}

/* Every option at its extremes, one at a time and all together. */
static void test_extremes(void **state)
{
    (void)state;
    static const uint64_t value[] = {0, 1, 2, 50, 99, 100};
    uint64_t count, of_op[OP_COUNT];
    struct problem problem;
    for (size_t i = 0; i < array_length(value); i++) {
        struct generate_options all = generate_defaults;
#define X(name, standard, help)                                                                              \
    {                                                                                                        \
        struct generate_options options = generate_defaults;                                                 \
        options.events = 3000;                                                                               \
        options.name = value[i];                                                                             \
        if (generate_check(&options, &problem)) {                                                            \
            generate(&options, 1024, &count, of_op, NULL);                                                   \
            assert_int_equal(count, options.events);                                                         \
        }                                                                                                    \
        all.name = value[i] < 2 ? value[i] : all.name;                                                       \
    }
        GENERATE_OPTIONS(X)
#undef X
        all.events = 3000;
        all.threads = 1 + 3 * i;
        all.vars = 1;
        all.live = 0;
        generate(&all, 1024, &count, of_op, NULL);
        assert_int_equal(count, all.events);
    }
}

static void test_nothing_to_synchronize_with(void **state)
{
    (void)state;
    struct generate_options options = generate_defaults;
    uint64_t count, of_op[OP_COUNT];
    options.threads = options.vars = 1;
    options.locks = options.volatiles = options.barriers = 0;
    options.sync = 100;
    options.events = 1000;
    generate(&options, 100, &count, of_op, NULL);
    assert_int_equal(count, 1000);
    assert_int_equal(of_op[OP_READ] + of_op[OP_WRITE] + of_op[OP_ALLOC], 1000);
}

static void test_many_threads(void **state)
{
    (void)state;
    struct generate_options options = generate_defaults;
    uint64_t count, of_op[OP_COUNT];
    options.threads = 10000;
    options.live = 8;
    options.events = 1000000;
    generate(&options, 1024, &count, of_op, NULL);
    assert_true(of_op[OP_FORK] > 9000);
    assert_true(of_op[OP_JOIN] > 4000);
}

static struct generate_options varied(uint64_t seed)
{
    struct generate_options options = generate_defaults;
    options.seed = seed;
    options.events = 20 + seed % 400;
    options.threads = 2 + seed % 9;
    options.locks = seed % 4;
    options.vars = 1 + seed % 17;
    options.volatiles = seed / 2 % 3;
    options.barriers = seed / 3 % 3;
    options.live = seed % 5 == 0 ? 2 : 0;
    options.sharing = seed * 7 % 101;
    options.readers = seed * 11 % 101;
    options.reentrant = seed * 13 % 101;
    options.sync = 5 + seed % 60;
    options.allocs = seed % 7;
    return options;
}

static void test_discipline_is_race_free(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        struct generate_options options = varied(seed);
        options.discipline = 100;
        if (racy(&options))
            fail_msg("seed %llu is racy", (unsigned long long)seed);
    }
}

static void test_indiscipline_races(void **state)
{
    (void)state;
    size_t races = 0;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        struct generate_options options = generate_defaults;
        options.seed = seed;
        options.discipline = 0;
        races += racy(&options);
    }
    assert_in_range(races, 490, 500);
}

static void test_defaults_are_half_racy(void **state)
{
    (void)state;
    size_t races = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct generate_options options = generate_defaults;
        options.seed = seed;
        races += racy(&options);
    }
    print_message("%zu of 1000 default traces are racy\n", races);
    assert_in_range(races, 400, 600);
}

static void test_bad_options(void **state)
{
    (void)state;
    struct generate_options options = generate_defaults;
    struct problem problem;
    options.vars = 0;
    assert_false(generate_check(&options, &problem));
    assert_string_equal(problem.reason, "--vars must be between 1 and 268435456");
    options = generate_defaults;
    options.sync = 101;
    assert_false(generate_check(&options, &problem));
    assert_string_equal(problem.reason, "--sync must be between 0 and 100");
    options = generate_defaults;
    options.live = 1;
    assert_false(generate_check(&options, &problem));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_length),       cmocka_unit_test(test_pieces_do_not_matter),
        cmocka_unit_test(test_same_everywhere),    cmocka_unit_test(test_every_kind_occurs),
        cmocka_unit_test(test_extremes),           cmocka_unit_test(test_nothing_to_synchronize_with),
        cmocka_unit_test(test_many_threads),       cmocka_unit_test(test_discipline_is_race_free),
        cmocka_unit_test(test_indiscipline_races), cmocka_unit_test(test_defaults_are_half_racy),
        cmocka_unit_test(test_bad_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
