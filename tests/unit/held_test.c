/* Which locks a thread held at an earlier time, read off its changes; random ones, against a copy of each moment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/intercept/held.h"
#include "runtime/world.h"

__thread struct thread *thread_self;

void world_attend(struct thread *t)
{
    (void)t;
}

enum { LOCKS = 12, MOST = 16, STEPS = 3000 };

static char locks[2 * LOCKS];
static struct frame frames[4];

static struct thread *new_thread(void)
{
    struct thread *t = calloc(1, sizeof *t);
    history_size = 0; /* 4,096 runs, 2,048 changes */
    history_new(t);
    t->stack = t->top = frames;
    t->actor.now = half_first(0) + 1;
    thread_self = t;
    return t;
}

static void *lock(unsigned i)
{
    return (void *)(((uintptr_t)locks + 1) / 2 * 2 + 2 * i);
}

static int compare(const void *a, const void *b)
{
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return x < y ? -1 : x > y;
}

static void same_sets(uintptr_t *a, uintptr_t *b, size_t count)
{
    qsort(a, count, sizeof *a, compare);
    qsort(b, count, sizeof *b, compare);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(a[i], b[i]);
}

static void reads_backwards(void **state)
{
    static struct {
        uintptr_t entry[MOST];
        uint32_t count;
    } then[STEPS + 1];
    struct thread *t = new_thread();
    (void)state;
    srand(7);
    for (int step = 0; step <= STEPS; step++) {
        then[step].count = t->held_count;
        if (t->held_count > 0)
            memcpy(then[step].entry, t->held, t->held_count * sizeof *t->held);
        unsigned i = (unsigned)rand() % LOCKS;
        if (held_remove(t, lock(i), 1) == NOT_HELD)
            held_add(t, lock(i), (enum held_mode)(rand() % 3), 1);
        if (rand() % 3 == 0)
            t->actor.now++;
    }
    int known = 0;
    for (int step = 0; step <= STEPS; step++) {
        uintptr_t entry[MOST];
        int count = held_then(t, (uint32_t)step, entry, MOST);
        if (count < 0)
            continue;
        known++;
        assert_int_equal(count, then[step].count);
        same_sets(entry, then[step].entry, (size_t)count);
    }
    assert_true(known > 1500);
    history_free(t);
    free(t);
}

static void keeps_the_order_of_locking(void **state)
{
    struct thread *t = new_thread();
    uintptr_t entry[MOST];
    (void)state;
    held_add(t, lock(2), HELD_WRITING, 1);
    held_add(t, lock(1), HELD_READING, 1);
    held_add(t, lock(3), HELD_ROBUST, 1);
    held_remove(t, lock(1), 1);
    held_remove(t, lock(3), 1);
    held_remove(t, lock(2), 1);
    assert_int_equal(held_then(t, 0, entry, MOST), 0);
    assert_int_equal(held_then(t, 3, entry, MOST), 3);
    assert_ptr_equal(held_lock(entry[0]), lock(2));
    assert_ptr_equal(held_lock(entry[1]), lock(1));
    assert_int_equal(held_mode(entry[1]), HELD_READING);
    assert_int_equal(held_mode(entry[2]), HELD_ROBUST);
    assert_int_equal(held_then(t, 3, entry, 2), -1); /* more than there is room for */
    assert_int_equal(held_then(t, 6, entry, MOST), 0);
    history_free(t);
    free(t);
}

static void knows_the_last_release(void **state)
{
    struct thread *t = new_thread();
    struct held_change change;
    uint32_t first = t->actor.now;
    (void)state;
    assert_false(held_released_before(t, first, &change));
    for (uintptr_t i = 0; i < 5; i++) {
        held_add(t, lock(1), HELD_WRITING, 10 + i);
        held_remove(t, lock(1), 20 + i);
        t->actor.now++;
    }
    assert_false(held_released_before(t, first, &change));
    assert_true(held_released_before(t, first + 1, &change));
    assert_int_equal(change.pc, 20);
    assert_true(held_released_before(t, first + 4, &change));
    assert_int_equal(change.pc, 23);
    assert_ptr_equal(held_lock(change.what), lock(1));
    /* another slot: not comparable */
    assert_false(held_released_before(t, half_of(epoch_of(9, 100)), &change));
    history_free(t);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_backwards),
        cmocka_unit_test(keeps_the_order_of_locking),
        cmocka_unit_test(knows_the_last_release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
