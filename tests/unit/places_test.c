/* Where mappings go, so that no two places of a program share shadow words: for layouts as the kernel makes
 * them. */
#include "runtime/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* While it is held, nothing can be mapped where the heap ends, and afterwards it can grow. */
static void test_heap_room(void **unused)
{
    (void)unused;
    void *end = (void *)(((uintptr_t)sbrk(0) + 4095) & -(uintptr_t)4096);
    places_hold_heap();
    assert_ptr_equal(mmap(end, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0),
                     MAP_FAILED);
    assert_ptr_equal(sbrk(1 << 26), (void *)-1);
    places_release_heap();
    assert_ptr_not_equal(sbrk(1 << 26), (void *)-1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_usual), cmocka_unit_test(test_most),
                                       cmocka_unit_test(test_heap_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
