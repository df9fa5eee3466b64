/* The book of heap blocks: what is there, what was given back, and that a table which shrinks and grows loses nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/heap.h"
#include "runtime/world.h"

static struct thread self; /* with nobody who would stop the world */
__thread struct thread *thread_self = &self;

void world_attend(struct thread *t)
{
    (void)t;
}

static struct heap_block block_at(uintptr_t address, size_t size)
{
    return (struct heap_block){.address = address, .size = size, .node = (uint32_t)address / 16, .thread = 3};
}

static const struct heap_end ending = {.pc = 77, .node = 5, .thread = 4, .way = HEAP_DELETE};

static void keeps_blocks(void **state)
{
    enum { BLOCKS = 20000 };
    struct heap_block found;
    size_t size, before;
    (void)state;
    for (uintptr_t i = 1; i <= BLOCKS; i++) {
        struct heap_block b = block_at(i * 64, 40);
        heap_add(&b);
    }
    for (uintptr_t i = 1; i <= BLOCKS; i += 3)
        assert_true(heap_remove(i * 64, &ending, &size));
    for (uintptr_t i = 1; i <= BLOCKS; i++) {
        bool there = i % 3 != 1;
        assert_int_equal(heap_grow(i * 64, 48, &before), there);
        assert_int_equal(heap_remove(i * 64, &ending, &size), there);
        if (there) {
            assert_int_equal(before, 40);
            assert_int_equal(size, 48);
        }
    }
    assert_false(heap_containing(64, &found));
}

static void finds_containing(void **state)
{
    struct heap_block b = block_at(0x10000, 100), found;
    size_t size;
    (void)state;
    heap_add(&b);
    assert_true(heap_containing(0x10000, &found));
    assert_true(heap_containing(0x10063, &found));
    assert_int_equal(found.address, 0x10000);
    assert_int_equal(found.node, 0x1000);
    assert_false(heap_containing(0x10064, &found));
    assert_false(heap_containing(0xffff, &found));
    assert_true(heap_remove(0x10000, &ending, &size));
    assert_false(heap_remove(0x10000, &ending, &size));
}

static void remembers_the_last(void **state)
{
    struct heap_block b = block_at(0x20000, 64), inner = block_at(0x20010, 16);
    size_t size;
    struct heap_end silent = {0};
    struct heap_ended ended;
    (void)state;
    heap_add(&b);
    heap_remove(0x20000, &ending, &size);
    assert_true(heap_ended(0x2003f, false, &ended));
    assert_int_equal(ended.block.address, 0x20000);
    assert_int_equal(ended.end.pc, 77);
    assert_int_equal(ended.end.way, HEAP_DELETE);
    assert_false(heap_ended(0x2003f, true, &ended));
    assert_true(heap_ended(0x20000, true, &ended));
    assert_false(heap_ended(0x20040, false, &ended));
    for (int i = 0; i < 2; i++) { /* given back again: the latest counts */
        struct heap_end later = {.pc = (uintptr_t)100 + (uintptr_t)i, .way = HEAP_FREE};
        heap_add(&b);
        heap_remove(0x20000, &later, &size);
    }
    assert_true(heap_ended(0x20000, true, &ended));
    assert_int_equal(ended.end.pc, 101);
    heap_add(&inner);
    heap_remove(0x20010, &silent, &size); /* nobody shall hear of it */
    assert_false(heap_ended(0x20010, true, &ended));
}

static void forgets_the_oldest(void **state)
{
    struct heap_block b = block_at(0x30000, 16);
    size_t size;
    struct heap_ended ended;
    (void)state;
    heap_add(&b);
    heap_remove(0x30000, &ending, &size);
    for (uintptr_t i = 0; i < 100000; i++) {
        struct heap_block other = block_at(0x1000000 + 32 * i, 16);
        heap_add(&other);
        heap_remove(other.address, &ending, &size);
    }
    assert_false(heap_ended(0x30000, true, &ended));
    assert_true(heap_ended(0x1000000 + 32 * 99999, true, &ended));
}

int main(void)
{
    if (!shadow_map_init())
        return EXIT_FAILURE;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_blocks),
        cmocka_unit_test(finds_containing),
        cmocka_unit_test(remembers_the_last),
        cmocka_unit_test(forgets_the_oldest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
