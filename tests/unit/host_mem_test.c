/* Memory for detectors inside the program under test (src/runtime/host/mem.c, linked in the place of
 * base/mem.c): what is new is zero, what was there stays, blocks do not overlap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/mem.h"

enum { BLOCKS = 64, STEPS = 20000 };

static struct {
    unsigned char *at;
    size_t size;
    unsigned char mark;
} block[BLOCKS];

static uint64_t random_state = 1;

static size_t below(size_t bound)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(random_state >> 33) % bound;
}

static void expect(const unsigned char *bytes, size_t from, size_t to, unsigned char value)
{
    for (size_t i = from; i < to; i++)
        if (bytes[i] != value)
            fail_msg("byte %zu is %u, not %u", i, bytes[i], value);
}

static size_t some_size(void)
{
    static const size_t most[] = {40, 300, 5000, 40000, 200000};
    return below(most[below(array_length(most))]);
}

static void blocks_keep_what_they_hold(void **state)
{
    (void)state;
    struct mem mem = {0};
    for (uint32_t n = 0; n < STEPS; n++) {
        size_t i = below(BLOCKS), old = block[i].size, new = below(4) == 0 ? 0 : some_size();
        if (below(4) == 0 && old > 0)
            new = old + below(64);
        block[i].at = mem_resize(&mem, block[i].at, old, new);
        block[i].size = new;
        expect(block[i].at, 0, old < new ? old : new, block[i].mark);
        expect(block[i].at, old < new ? old : new, new, 0);
        block[i].mark = (unsigned char)(1 + below(255));
        if (new > 0)
            memset(block[i].at, block[i].mark, new);
    }
    for (size_t i = 0; i < BLOCKS; i++)
        mem_free(&mem, block[i].at, block[i].size);
    assert_int_equal(mem.bytes, 0);
}

static void arrays_grow(void **state)
{
    (void)state;
    struct mem mem = {0};
    uint32_t *array = NULL;
    size_t capacity = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        array = mem_reserve(&mem, array, sizeof *array, &capacity, i + 1);
        assert_int_equal(array[i], 0);
        array[i] = i;
    }
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(array[i], i);
    mem_free(&mem, array, capacity * sizeof *array);
    assert_int_equal(mem.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_keep_what_they_hold),
                                       cmocka_unit_test(arrays_grow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
