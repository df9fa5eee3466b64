/* Sweeping the shadow: what is known to all is erased, what nobody names is given back, what is renamed stays the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "shadow/atomic.h"
#include "shadow/mixed.h"
#include "shadow/sweep.h"

enum { ACTORS = 8, BYTES = 1 << 14 };

#define BASE UINT64_C(0x345678900000)

static struct {
    struct actor actor;
    uint32_t clock[ACTORS];
} * who;

static uint32_t known[ACTORS], lowest[ACTORS], lost;

static void tick(unsigned t)
{
    uint32_t *now = &who[t].clock[t];
    who[t].actor.now = *now = *now == 0 ? half_first(t) + 1 : *now + 1;
}

static int begin(void **state)
{
    (void)state;
    memset(who, 0, ACTORS * sizeof *who);
    memset(known, 0, sizeof known);
    for (unsigned t = 0; t < ACTORS; t++) {
        who[t].actor.clock = who[t].clock;
        tick(t);
    }
    shadow_clear(BASE, BYTES);
    return 0;
}

/* Several readers become vectors, not sets (shadow/state.c). */
static void use_vectors(void)
{
    for (unsigned t = 0; t < ACTORS; t++)
        who[t].actor.memo.churn = UINT32_MAX / 2;
}

static bool access(unsigned t, enum access_kind kind, size_t offset, size_t size)
{
    struct race_found found;
    shadow_access(BASE + offset, size, kind, &who[t].actor, &found);
    return found.conflict.earlier != 0;
}

static void atomic_read(unsigned t, size_t offset)
{
    struct race_found found;
    struct record *r = atomic_lock(BASE + offset);
    shadow_atomic(r, BASE + offset, 8, ATOMIC_READ, &who[t].actor, &found);
    record_unlock(r);
}

static void lose(struct sync *list)
{
    (void)list;
    lost++;
}

static void ignore_sync(struct sync **list, void *to)
{
    (void)list, (void)to;
}

static void sweep(uint32_t (*map)(uint32_t half))
{
    memset(lowest, 0xff, sizeof lowest);
    sweep_shadow(&(struct sweep){known, lowest, map, lose});
    sweep_each_sync(ignore_sync, NULL);
    for (unsigned t = 0; t < ACTORS; t++)
        who[t].actor.memo = (struct set_memo){0};
}

static void known_epochs_are_erased(void **state)
{
    (void)state;
    access(0, PLAIN_WRITE, 0, 4);
    access(1, PLAIN_WRITE, 4, 4);
    access(1, PLAIN_READ, 8, 4);
    known[0] = who[0].actor.now;
    sweep(NULL);
    assert_int_equal(*shadow_of(BASE), 0);
    assert_int_equal(*shadow_of(BASE + 4), who[1].actor.now);
    assert_int_equal(lowest[0], UINT32_MAX);
    assert_int_equal(lowest[1], who[1].actor.now);
    assert_true(access(2, PLAIN_WRITE, 4, 4));
    assert_true(access(2, PLAIN_WRITE, 8, 4));
}

static void a_set_loses_its_known_epochs(void **state)
{
    (void)state;
    for (unsigned t = 0; t < 4; t++)
        for (size_t at = 0; at < 64; at += 4)
            access(t, PLAIN_READ, at, 4);
    known[0] = who[0].actor.now;
    known[2] = who[2].actor.now;
    sweep(NULL);
    uint32_t set = read_half(*shadow_of(BASE));
    assert_true(set & NARROW_TAG);
    assert_int_equal(sets_first_unordered(set, known), who[1].actor.now);
    known[1] = who[1].actor.now;
    sweep(NULL);
    assert_int_equal(read_half(*shadow_of(BASE + 60)), who[3].actor.now);
    assert_int_equal(sets_live(), 0);
}

static void vectors_become_sets(void **state)
{
    (void)state;
    use_vectors();
    for (unsigned t = 0; t < 4; t++)
        for (size_t at = 0; at < 64; at += 8) {
            access(t, PLAIN_READ, at, 4);
            access(t, PLAIN_READ, at + 5, 1);
        }
    assert_int_equal(vector_live(), 16);
    known[0] = who[0].actor.now;
    sweep(NULL);
    assert_int_equal(vector_live(), 0);
    uint32_t set = read_half(*shadow_of(BASE));
    assert_true(set & NARROW_TAG);
    assert_int_equal(sets_first_unordered(set, known), who[1].actor.now);
    for (size_t at = 0; at < 64; at += 8) {
        assert_int_equal(read_half(*shadow_of(BASE + at)), set);
        assert_true(word_paged(*shadow_of(BASE + at + 4)));
        assert_true(access(4, PLAIN_WRITE, at, 4));
        assert_false(access(4, PLAIN_WRITE, at + 4, 1));
        assert_true(access(4, PLAIN_WRITE, at + 5, 1));
    }
}

static void what_nobody_names_is_given_back(void **state)
{
    sweep(NULL);
    uint32_t records = record_live();
    assert_int_equal(sets_live(), 0);
    for (unsigned vectors = 0; vectors < 2; vectors++) {
        begin(state);
        if (vectors)
            use_vectors();
        for (unsigned round = 0; round < 50; round++) {
            for (size_t at = 0; at < 256; at++)
                access((unsigned)at % ACTORS, PLAIN_READ, at, 1);
            for (size_t at = 256; at < 512; at += 4)
                for (unsigned t = 0; t < ACTORS; t++)
                    access(t, PLAIN_READ, at, 4);
            for (unsigned t = 0; t < ACTORS; t++)
                tick(t);
        }
        for (size_t at = 512; at < 1024; at += 8)
            for (unsigned t = 0; t < ACTORS; t++)
                atomic_read(t, at);
        assert_true(record_live() > records);
        assert_true(vector_live() > 0);
        shadow_clear(BASE, BYTES);
        sweep(NULL);
        assert_int_equal(record_live(), records);
        assert_int_equal(sets_live(), 0);
        assert_int_equal(vector_live(), 0);
        assert_int_equal(bytes_live(), 0);
    }
}

/* What a thread read in this epoch before its word was cleared is not what it reads when the vector is another word's. */
static void a_vector_that_is_used_again_is_empty(void **state)
{
    (void)state;
    use_vectors();
    for (unsigned t = 0; t < 3; t++)
        access(t, PLAIN_READ, 0, 4);
    shadow_clear(BASE, 4);
    sweep(NULL);
    use_vectors();
    for (unsigned t = 1; t < 3; t++)
        access(t, PLAIN_READ, 64, 4);
    assert_int_equal(vector_live(), 1);
    for (unsigned t = 1; t < 3; t++)
        who[3].clock[t] = who[t].actor.now;
    assert_false(access(3, PLAIN_WRITE, 64, 4));
    for (unsigned t = 1; t < 3; t++)
        access(t, PLAIN_READ, 128, 4);
    access(0, PLAIN_READ, 128, 4);
    for (unsigned t = 1; t < 3; t++)
        who[3].clock[t] = who[t].actor.now;
    assert_true(access(3, PLAIN_WRITE, 128, 4)); /* with the first */
}

static void bytes_that_agree_are_a_word_again(void **state)
{
    (void)state;
    for (size_t at = 0; at < 64; at++)
        access(at < 32 ? 0 : at % 4, PLAIN_WRITE, at, 1);
    assert_true(bytes_live() >= 8);
    sweep(NULL);
    for (size_t at = 0; at < 32; at += 4)
        assert_int_equal(*shadow_of(BASE + at), who[0].actor.now);
    for (size_t at = 32; at < 64; at += 4)
        assert_true(word_paged(*shadow_of(BASE + at)));
    assert_int_equal(bytes_live(), 8);
    for (unsigned t = 1; t < 4; t++)
        known[t] = who[t].actor.now;
    sweep(NULL);
    for (size_t at = 32; at < 64; at++)
        assert_int_equal(access(2, PLAIN_WRITE, at, 1), at % 4 == 0);
    known[0] = who[0].actor.now;
    sweep(NULL);
    for (size_t at = 0; at < 64; at += 4)
        assert_int_equal(*shadow_of(BASE + at), 0);
    assert_int_equal(bytes_live(), 0);
}

/* What is known to all is erased from mixed pairs, which become plain where their bytes agree then. */
static void mixed_pairs_lose_known_epochs(void **state)
{
    (void)state;
    for (size_t at = 0; at < 16; at++)
        access(at % 2, PLAIN_WRITE, at, 1);
    assert_true(word_mixed(*shadow_of(BASE)));
    known[1] = who[1].actor.now;
    sweep(NULL);
    for (size_t at = 0; at < 16; at++)
        assert_int_equal(access(2, PLAIN_READ, at, 1), at % 2 == 0);
    known[0] = who[0].actor.now;
    known[2] = who[2].actor.now;
    sweep(NULL);
    for (size_t at = 0; at < 16; at += 4)
        assert_int_equal(*shadow_of(BASE + at), 0);
}

static uint32_t the_same(uint32_t half)
{
    return half;
}

/* Renamed epochs may not fit: the pair is broken up, and says what it said. */
static void mixed_pairs_are_renamed(void **state)
{
    (void)state;
    for (size_t at = 0; at < 16; at++)
        access(at % 2, PLAIN_WRITE, at, 1);
    assert_true(word_mixed(*shadow_of(BASE)));
    sweep(the_same);
    assert_false(word_mixed(*shadow_of(BASE)));
    for (size_t at = 0; at < 16; at++)
        assert_int_equal(access(0, PLAIN_READ, at, 1), at % 2 == 1);
}

static void records_whose_epochs_are_known_fold(void **state)
{
    (void)state;
    sweep(NULL);
    uint32_t records = record_live();
    for (size_t at = 0; at < 64; at++)
        access((unsigned)at % 4, PLAIN_WRITE, at, 1);
    for (size_t at = 512; at < 1024; at += 8)
        for (unsigned t = 0; t < 3; t++)
            atomic_read(t, at);
    for (unsigned t = 0; t < ACTORS; t++)
        known[t] = who[t].actor.now;
    sweep(NULL);
    assert_int_equal(record_live(), records);
    for (size_t at = 0; at < 1024; at += 4)
        assert_int_equal(*shadow_of(BASE + at), 0);
}

/* The epochs of slot 1 follow those of slot 0 there. */
static uint32_t merged(uint32_t half)
{
    return half_slot(half) == 1 ? half_first(0) + 100 + (half - half_first(1)) : half;
}

static void renamed_epochs_are_the_same(void **state)
{
    (void)state;
    access(1, PLAIN_WRITE, 0, 4);
    access(1, PLAIN_WRITE, 5, 1);
    for (unsigned t = 1; t < 4; t++) {
        access(t, PLAIN_READ, 8, 4);
        atomic_read(t, 16);
    }
    uint32_t new = merged(who[1].actor.now);
    sweep(merged);
    assert_int_equal(*shadow_of(BASE), new);
    assert_int_equal(lowest[0], new);
    assert_int_equal(lowest[1], UINT32_MAX);
    for (unsigned t = 2; t < 4; t++)
        known[t] = who[t].actor.now;
    sweep(NULL);
    assert_int_equal(read_half(*shadow_of(BASE + 8)), new);
    who[5].clock[0] = new - 1;
    for (size_t at = 0; at < 24; at += at == 0 ? 5 : at == 5 ? 3 : 8) /* 0, 5, 8, 16 */
        assert_true(access(5, PLAIN_WRITE, at, 1));
    begin(NULL);
    access(1, PLAIN_WRITE, 0, 4);
    sweep(merged);
    who[5].clock[0] = new;
    assert_false(access(5, PLAIN_WRITE, 0, 4));
}

#define TEST(f) cmocka_unit_test_setup(f, begin)

int main(void)
{
    who = calloc(ACTORS, sizeof *who);
    if (who == NULL || !shadow_map_init())
        return EXIT_FAILURE;
    shadow_init();
    const struct CMUnitTest tests[] = {TEST(known_epochs_are_erased),
                                       TEST(a_set_loses_its_known_epochs),
                                       TEST(vectors_become_sets),
                                       TEST(what_nobody_names_is_given_back),
                                       TEST(a_vector_that_is_used_again_is_empty),
                                       TEST(bytes_that_agree_are_a_word_again),
                                       TEST(mixed_pairs_lose_known_epochs),
                                       TEST(mixed_pairs_are_renamed),
                                       TEST(records_whose_epochs_are_known_fold),
                                       TEST(renamed_epochs_are_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
