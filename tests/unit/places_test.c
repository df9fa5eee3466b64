/* Where mappings go, so that no two places of a program share shadow words: for layouts as the kernel makes
 * them. */
#include "runtime/places.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define GIGABYTE (UINT64_C(1) << 30)
#define WINDOW   (UINT64_C(1) << SHADOW_WINDOW_BITS)

static uint64_t state = 1;

static uint64_t some(unsigned bits)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state >> (64 - bits);
}

/* Executable and heap, libraries, stack: with so many random bits for the number of a page. */
static void deal(struct place place[3], unsigned bits)
{
    uintptr_t executable = 0x555555554000 + (some(bits) << 12),
              libraries = 0x7ffff7fff000 - (some(bits) << 12), stack = 0x7ffffffff000 - (some(22) << 12);
    place[0] = (struct place){executable, executable + some(31)};
    place[1] = (struct place){libraries - some(30), libraries};
    place[2] = (struct place){stack - 8 * (GIGABYTE >> 10), stack};
}

static bool meet(uintptr_t from, uintptr_t to, const struct place *p)
{
    return (p->from - from) % WINDOW < to - from || (from - p->from) % WINDOW < p->to - p->from;
}

static void check(unsigned bits, bool moves)
{
    for (int i = 0; i < 100000; i++) {
        struct place place[3];
        deal(place, bits);
        uintptr_t top = place[1].from - (UINT64_C(40) << 40) - (UINT64_C(33) << 30);
        uintptr_t pad = places_pad(top, place, 3);
        assert_true(moves || pad == 0);
        assert_true(pad < WINDOW);
        for (int p = 0; p < 3; p++)
            assert_false(meet(top - pad - 500 * GIGABYTE, top - pad, &place[p]));
    }
}

static void test_usual(void **unused)
{
    (void)unused;
    check(28, false);
}

static void test_most(void **unused)
{
    (void)unused;
    check(32, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_usual), cmocka_unit_test(test_most)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
