/* Uniform blocks (shadow/uniform.h): when they come and go, and that nobody can tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "shadow/access.h"
#include "shadow/freed.h"
#include "shadow/same_epoch.h"
#include "shadow/sweep.h"
#include "shadow/uniform.h"

enum { ACTORS = 8, BLOCKS = 256, BYTES = BLOCKS * UNIFORM_BYTES };

#define BASE UINT64_C(0x234567890000)
#define R    PLAIN_READ
#define W    PLAIN_WRITE

static struct {
    struct actor actor;
    uint32_t clock[NARROW_SLOTS];
} who[ACTORS];

static void tick(unsigned t)
{
    uint32_t *now = &who[t].clock[t];
    who[t].actor.now = *now = *now == 0 ? half_first(t) + 1 : *now + 1;
    actor_forget(&who[t].actor);
}

static void join(unsigned t, unsigned u)
{
    for (size_t i = 0; i < ACTORS; i++)
        if (who[t].clock[i] < who[u].clock[i])
            who[t].clock[i] = who[u].clock[i];
}

/* What u did so far happens before what t does from now on. */
static void learn(unsigned t, unsigned u)
{
    join(t, u);
    tick(u);
}

static int begin(void **state)
{
    (void)state;
    memset(who, 0, sizeof who);
    for (unsigned t = 0; t < ACTORS; t++) {
        who[t].actor.clock = who[t].clock;
        tick(t);
    }
    shadow_clear(BASE, BYTES);
    return 0;
}

static struct race_found found;

/* Whether it races. */
static bool access(unsigned t, enum access_kind kind, size_t offset, size_t size)
{
    shadow_access(BASE + offset, size, kind, &who[t].actor, &found);
    return found.conflict.earlier != 0;
}

static uint64_t word_at(size_t offset)
{
    return load_acquire(shadow_of(BASE + offset));
}

static bool is_uniform(size_t block)
{
    return uniform_state(shadow_of(BASE + block * UNIFORM_BYTES)) != 0;
}

/* All words of a block are UNIFORM, or none is. */
static void assert_sound(void)
{
    for (size_t offset = 0; offset < BYTES; offset += 4)
        assert_int_equal(word_uniform(word_at(offset)), is_uniform(offset / UNIFORM_BYTES));
}

/* All of it is uniform, as the write of t in its epoch. */
static void make_all(unsigned t)
{
    for (int i = 0; i < 3; i++) { /* bytes are a word again after the second */
        tick(t);
        assert_false(access(t, W, 0, BYTES));
    }
    for (size_t block = 0; block < BLOCKS; block++)
        assert_true(is_uniform(block));
    assert_sound();
}

static void bulk_accesses_make_blocks_uniform(void **state)
{
    (void)state;
    assert_false(access(0, W, 0, BYTES));
    assert_false(is_uniform(0)); /* words were empty */
    tick(0);
    assert_false(access(0, W, 4, BYTES - 8));
    assert_false(is_uniform(0)); /* not all of it */
    assert_true(is_uniform(1));
    assert_false(is_uniform(BLOCKS - 1));
    assert_int_equal(found.changed, BYTES / 4 - 2);
    assert_false(access(0, R, 0, BYTES));
    assert_int_equal(found.changed, 2); /* the others: same epoch */
    assert_true(same_epoch(BASE + UNIFORM_BYTES, UNIFORM_BYTES, W, who[0].actor.now));
    assert_false(same_epoch(BASE + UNIFORM_BYTES, 4, W, who[1].actor.now));
    assert_sound();
}

static void parts_break_blocks_up(void **state)
{
    (void)state;
    static const struct {
        enum access_kind kind;
        size_t offset, size;
    } part[] = {{R, 8, 4},
                {W, 16, 8},
                {R, 5, 1},
                {W, 6, 4},
                {ATOMIC_READ, 32, 4},
                {ATOMIC_WRITE, 40, 8},
                {R, UNIFORM_BYTES - 4, UNIFORM_BYTES + 8}};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        begin(NULL);
        make_all(0);
        learn(1, 0);
        assert_false(access(1, part[i].kind, part[i].offset, part[i].size));
        assert_false(is_uniform(0));
        assert_sound();
        assert_true(access(2, R, 128, 4)); /* words that nobody has accessed since */
        assert_true(access(3, W, part[i].offset, part[i].size));
    }
}

static void races_are_told_of_each_word(void **state)
{
    (void)state;
    make_all(0);
    for (size_t block = 0; block < 2; block++) {
        assert_true(access(1, R, block * UNIFORM_BYTES, UNIFORM_BYTES));
        assert_int_equal(found.address, BASE + block * UNIFORM_BYTES);
        assert_int_equal(found.conflict.earlier, who[0].actor.now);
        assert_int_equal(found.conflict.kind, PLAIN_WRITE);
    }
    assert_int_equal(shadow_elements(BASE + 2 * UNIFORM_BYTES, UNIFORM_WORDS, 4, 4, W, &who[2].actor, &found),
                     0);
    assert_sound();
}

static void readers_of_a_block(void **state)
{
    (void)state;
    make_all(0);
    for (unsigned t = 1; t < 5; t++)
        join(t, 0);
    for (unsigned t = 1; t < 4; t++)
        assert_false(access(t, R, 0, BYTES));
    assert_true(is_uniform(3));
    join(5, 1);
    join(5, 2);
    shadow_check_write(BASE + 8, 4, &who[5].actor, &found);
    assert_int_equal(found.conflict.earlier, who[3].actor.now);
    assert_int_equal(found.conflict.kind, PLAIN_READ);
    assert_true(access(5, W, 0, UNIFORM_BYTES));
    assert_false(is_uniform(0));
    join(5, 3);
    tick(5);
    assert_false(access(5, W, UNIFORM_BYTES, BYTES - UNIFORM_BYTES));
    assert_true(is_uniform(3));
    assert_true(access(4, R, 2 * UNIFORM_BYTES + 4, 4));
    assert_sound();
}

/* Bytes of a word that change are told to the history, though the last one has several readers and does not. */
static void bytes_before_shared_ones_count(void **state)
{
    (void)state;
    assert_false(access(0, R, 3, 1));
    assert_false(access(1, R, 3, 1));
    assert_false(access(1, R, 0, 4));
    assert_true(found.changed > 0);
}

static void freed_blocks_are_empty(void **state)
{
    (void)state;
    make_all(0);
    learn(1, 0);
    shadow_free(BASE, BYTES, &who[1].actor, &found);
    assert_int_equal(found.conflict.earlier, 0);
    for (size_t offset = 0; offset < BYTES; offset += 4)
        assert_int_equal(word_at(offset), 0);
    assert_sound();
    assert_true(access(2, R, UNIFORM_BYTES, UNIFORM_BYTES));
    shadow_clear(BASE, BYTES);
    make_all(3);
    for (size_t from = 0; from <= 8; from += 8) { /* a block, and a part of one */
        shadow_free(BASE + from + from * UNIFORM_BYTES, UNIFORM_BYTES, &who[4].actor, &found);
        assert_int_equal(found.conflict.earlier, who[3].actor.now);
        assert_int_equal(found.address, BASE + from + from * UNIFORM_BYTES);
        assert_sound();
    }
}

static void a_part_is_cleared(void **state)
{
    (void)state;
    make_all(0);
    shadow_clear(BASE + UNIFORM_BYTES - 8, 2 * UNIFORM_BYTES);
    assert_sound();
    for (size_t offset = 0; offset < BYTES; offset += 4) {
        bool cleared = offset >= UNIFORM_BYTES - 8 && offset < 3 * UNIFORM_BYTES - 8;
        assert_int_equal(access(1, R, offset, 4), !cleared);
    }
}

static void blocks_move(void **state)
{
    (void)state;
    make_all(0);
    shadow_clear(BASE + BYTES / 2, BYTES / 2);
    shadow_move(BASE, BASE + BYTES / 2, BYTES / 2);
    shadow_clear(BASE, BYTES / 2);
    assert_sound();
    assert_false(access(1, W, 0, BYTES / 2));
    assert_true(access(1, R, BYTES / 2 + 4, 4));
    assert_true(access(1, R, BYTES - 4, 4));
}

static uint32_t known[NARROW_SLOTS], lowest[NARROW_SLOTS];

static uint32_t renamed(uint32_t half)
{
    return half + 1;
}

static void sweep(unsigned t, uint32_t (*map)(uint32_t half))
{
    for (uint32_t s = 0; s < NARROW_SLOTS; s++) {
        known[s] = who[t].clock[s];
        lowest[s] = UINT32_MAX;
    }
    sweep_shadow(&(struct sweep){.known = known, .lowest = lowest, .map = map});
}

static void sweeps_see_blocks(void **state)
{
    (void)state;
    make_all(0);
    uint32_t write = who[0].actor.now;
    access(0, W, 0, 4); /* words of one block */
    sweep(1, renamed);
    assert_true(is_uniform(1));
    assert_int_equal(uniform_state(shadow_of(BASE + UNIFORM_BYTES)), write + 1);
    assert_int_equal(word_at(8), write + 1);
    assert_int_equal(lowest[0], write + 1);
    who[0].clock[0] = write + 2;
    sweep(0, NULL);
    for (size_t offset = 0; offset < BYTES; offset += 4)
        assert_int_equal(word_at(offset), 0);
    assert_int_equal(lowest[0], UINT32_MAX);
    assert_sound();
}

/* --- at the same time --- */

enum { READERS = 4, ROUNDS = 300 };
static pthread_barrier_t barrier;
static uint32_t ready;

/* Everything, once or more often, in pieces of all sizes. */
static void read_all(unsigned t, uint32_t *random)
{
    for (size_t offset = 0, size; offset < BYTES; offset += size) {
        static const size_t sizes[] = {1, 2, 4, 8, UNIFORM_BYTES, 3 * UNIFORM_BYTES};
        *random = *random * 1103515245 + 12345;
        size = sizes[(*random >> 16) % 6];
        if (size >= UNIFORM_BYTES) /* from the beginning of its block on */
            offset &= -(size_t)UNIFORM_BYTES;
        if (offset + size > BYTES)
            size = BYTES - offset;
        struct race_found here;
        shadow_access(BASE + offset, size, R, &who[t].actor, &here);
        if (here.conflict.earlier != 0)
            abort();
    }
}

static void *reader(void *number)
{
    unsigned t = (unsigned)(uintptr_t)number;
    uint32_t random = t;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&barrier);
        add_relaxed(&ready, 1); /* all at the same time, if there are cores for it */
        while (load_relaxed(&ready) < READERS * ((uint32_t)round + 1))
            sys_yield();
        read_all(t, &random);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

/* Bytes have been read by all of them: who does not know of one races with it. */
static void assert_all_there(unsigned observer)
{
    for (unsigned t = 1; t <= READERS; t++) {
        memset(who[observer].clock, 0, sizeof who[observer].clock);
        for (unsigned u = 0; u <= READERS; u++)
            if (u != t)
                join(observer, u);
        tick(observer);
        for (size_t offset = t - 1; offset < BYTES; offset += 3) {
            shadow_check_write(BASE + offset, 1, &who[observer].actor, &found);
            assert_int_equal(found.conflict.earlier, who[t].actor.now);
        }
    }
}

static void no_reader_is_lost(void **state)
{
    (void)state;
    pthread_t thread[READERS];
    pthread_barrier_init(&barrier, NULL, READERS + 1);
    for (uintptr_t t = 1; t <= READERS; t++)
        assert_int_equal(pthread_create(&thread[t - 1], NULL, reader, (void *)t), 0);
    for (int round = 0; round < ROUNDS; round++) {
        for (unsigned t = 1; t <= READERS; t++)
            join(0, t);
        make_all(0);
        for (unsigned t = 1; t <= READERS; t++) {
            tick(t);
            join(t, 0);
        }
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
        assert_sound();
        assert_all_there(READERS + 1);
    }
    for (unsigned t = 0; t < READERS; t++)
        pthread_join(thread[t], NULL);
}

int main(void)
{
    if (!shadow_map_init())
        return EXIT_FAILURE;
    shadow_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(bulk_accesses_make_blocks_uniform, begin),
        cmocka_unit_test_setup(parts_break_blocks_up, begin),
        cmocka_unit_test_setup(races_are_told_of_each_word, begin),
        cmocka_unit_test_setup(readers_of_a_block, begin),
        cmocka_unit_test_setup(bytes_before_shared_ones_count, begin),
        cmocka_unit_test_setup(freed_blocks_are_empty, begin),
        cmocka_unit_test_setup(a_part_is_cleared, begin),
        cmocka_unit_test_setup(blocks_move, begin),
        cmocka_unit_test_setup(sweeps_see_blocks, begin),
        cmocka_unit_test_setup(no_reader_is_lost, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
