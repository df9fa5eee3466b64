/* What is kept of threads that ended: as many as the bound says, the latest ones. */
#include "runtime/ended_threads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void add(uint32_t id, const char *name)
{
    static struct thread t; /* too large for a stack */
    t.id = id;
    t.creator = id / 2;
    t.creation_node = id + 7;
    t.kernel_id = (int)(id % 4000000 + 1);
    t.joined = id % 2;
    memcpy(t.name, name, strlen(name) + 1);
    ended_threads_add_locked(&t);
}

static void kept(uint32_t id, const char *name)
{
    struct ended_thread e;
    assert_true(ended_threads_find(id, &e));
    assert_int_equal(e.creator, id / 2);
    assert_int_equal(e.creation_node, id + 7);
    assert_int_equal(e.kernel_id, id % 4000000 + 1);
    assert_int_equal(e.joined, id % 2);
    assert_string_equal(e.name, name);
}

static void test_names_and_numbers(void **state)
{
    (void)state;
    struct ended_thread e;
    assert_false(ended_threads_find(0, &e));
    add(0, "first");
    add(1, "fifteen letters");
    kept(0, "first");
    kept(1, "fifteen letters");
    assert_false(ended_threads_find(2, &e));
}

static void test_the_latest_stay(void **state)
{
    (void)state;
    struct ended_thread e;
    for (uint32_t id = 0; id < 3 * ENDED_THREADS; id++)
        add(id, "worker");
    assert_false(ended_threads_find(2 * ENDED_THREADS - 1, &e));
    for (uint32_t id = 2 * ENDED_THREADS; id < 3 * ENDED_THREADS; id++)
        kept(id, "worker");
    add(5, "old"); /* ended early, but was forgotten late */
    assert_false(ended_threads_find(5, &e));
    kept(2 * ENDED_THREADS + 5, "worker");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names_and_numbers),
                                       cmocka_unit_test(test_the_latest_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
