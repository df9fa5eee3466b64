/* Interned sets: each is what it was made of, also among so many that their hashes meet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "shadow/sets.h"

static uint32_t seen[4], seen_count;

static void see(uint32_t entry, void *unused)
{
    (void)unused;
    seen[seen_count++ % 4] = entry;
}

static void assert_holds(uint32_t half, uint32_t first, uint32_t second)
{
    seen_count = 0;
    sets_visit(half, see, NULL);
    assert_int_equal(seen_count, 2);
    assert_int_equal(seen[0], first);
    assert_int_equal(seen[1], second);
}

/* About ten of so many sets have the 32-bit hash of another. */
static void sets_are_what_they_were_made_of(void **state)
{
    (void)state;
    enum { SETS = 300000 };
    static uint32_t half[SETS];
    for (int twice = 0; twice < 2; twice++) {
        uint64_t random = 1;
        for (uint32_t i = 0; i < SETS; i++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            uint32_t first = half_of(epoch_of(1 + i % 3, 1 + (random >> 20) % 2000000));
            uint32_t second = half_of(epoch_of(7, 1 + (random >> 42) % 2000000));
            uint32_t set = sets_of(i % 2 ? (uint32_t[]){first, second} : (uint32_t[]){second, first}, 2);
            assert_holds(set, first, second);
            if (twice)
                assert_int_equal(set, half[i]); /* it exists once */
            half[i] = set;
        }
    }
}

/* A reader that comes again takes the place of its earlier epoch, and of those that it knows of. */
static void readers_are_in_a_set_once(void **state)
{
    (void)state;
    struct set_memo memo = {0};
    uint32_t clock[NARROW_SLOTS] = {0};
    uint32_t first = half_of(epoch_of(1, 5)), other = half_of(epoch_of(2, 9)),
             third = half_of(epoch_of(3, 2));
    uint32_t set = sets_of((uint32_t[]){first, other}, 2), again = half_of(epoch_of(1, 6));
    clock[1] = again;
    assert_holds(sets_with(set, again, clock, &memo), again, other);
    clock[2] = other;
    assert_holds(sets_with(sets_of((uint32_t[]){first, other, third}, 3), again, clock, &memo), again, third);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sets_are_what_they_were_made_of),
                                       cmocka_unit_test(readers_are_in_a_set_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
