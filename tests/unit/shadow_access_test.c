/* What the shadow must and must not say, case by case; and that it gives back what it needs no longer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "shadow/access.h"
#include "shadow/mixed.h"
#include "shadow/same_epoch.h"

enum { ACTORS = 16, BYTES = 1 << 17 };

#define BASE UINT64_C(0x234567890000)

static struct {
    struct actor actor;
    uint32_t clock[ACTORS];
} * who;

static void tick(unsigned t)
{
    uint32_t *now = &who[t].clock[t];
    who[t].actor.now = *now = *now == 0 ? half_first(t) + 1 : *now + 1;
}

/* What u did so far happens before what t does from now on. */
static void learn(unsigned t, unsigned u)
{
    for (size_t i = 0; i < ACTORS; i++)
        who[t].clock[i] = (uint32_t)max_u64(who[t].clock[i], who[u].clock[i]);
    tick(u);
}

static int begin(void **state)
{
    (void)state;
    memset(who, 0, ACTORS * sizeof *who);
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

#define R PLAIN_READ
#define W PLAIN_WRITE

static void neighbouring_bytes_do_not_race(void **state)
{
    for (size_t size = 1; size <= 2; size++) {
        begin(state);
        for (size_t at = 0; at < 8; at += size)
            assert_false(access((unsigned)(at / size), W, at, size));
    }
}

static void one_byte_of_overlap_races(void **state)
{
    for (size_t shift = 0; shift < 8; shift++) {
        begin(state);
        assert_false(access(0, W, shift, 4));
        assert_true(access(1, W, shift + 3, 4));
        assert_int_equal(found.address, BASE + shift + 3);
        begin(state);
        assert_false(access(0, R, shift, 4));
        assert_false(access(1, W, shift + 4, 4));
        assert_true(access(1, W, shift + 3, 1));
    }
}

/* Several readers become a set, or, where sets do not pay, a vector (shadow/state.c). */
static int begin_with_vectors(void **state)
{
    begin(state);
    for (unsigned t = 0; t < ACTORS; t++)
        who[t].actor.memo.churn = UINT32_MAX / 2;
    return 0;
}

static int (*const with_sets_or_vectors[])(void **state) = {begin, begin_with_vectors};

static void the_eighth_reader_is_not_forgotten(void **state)
{
    for (unsigned vectors = 0; vectors < 2; vectors++)
        for (unsigned forgotten = 1; forgotten <= 8; forgotten++)
            for (size_t size = 1; size <= 16; size *= 2) {
                with_sets_or_vectors[vectors](state);
                for (unsigned reader = 1; reader <= 8; reader++)
                    assert_false(access(reader, R, 64, size));
                for (unsigned reader = 1; reader <= 8; reader++)
                    if (reader != forgotten)
                        learn(0, reader);
                assert_true(access(0, W, 64, size));
                assert_int_equal(epoch_slot(epoch_of_half(found.conflict.earlier)), forgotten);
                assert_int_equal(found.conflict.kind, PLAIN_READ);
                assert_int_equal(vector_live(), 0);
            }
}

static void whoever_knows_all_readers_may_write(void **state)
{
    for (unsigned vectors = 0; vectors < 2; vectors++) {
        with_sets_or_vectors[vectors](state);
        for (unsigned reader = 1; reader <= 8; reader++) {
            assert_false(access(reader, R, 64, 4));
            learn(0, reader);
        }
        assert_false(access(0, W, 64, 4));
        assert_int_equal(*shadow_of(BASE + 64), who[0].actor.now); /* and the readers are forgotten */
        assert_int_equal(vector_live(), 0);
    }
}

static void a_write_long_ago_is_not_forgotten(void **state)
{
    (void)state;
    assert_false(access(1, W, 0, 4));
    for (unsigned i = 0; i < 1000; i++) {
        tick(1);
        learn(1, 2 + i % 4);
        assert_false(access(1, R, 0, 4));
    }
    assert_true(access(0, R, 0, 1));
    assert_int_equal(found.conflict.earlier, half_of(epoch_of(1, 1)));
}

static void atomics_race_with_plain_accesses_only(void **state)
{
    static const struct {
        enum access_kind first, second;
        bool race;
    } pair[] = {
        {ATOMIC_READ, ATOMIC_READ, false},  {ATOMIC_READ, ATOMIC_WRITE, false},
        {ATOMIC_WRITE, ATOMIC_READ, false}, {ATOMIC_WRITE, ATOMIC_WRITE, false},
        {ATOMIC_READ, PLAIN_READ, false},   {PLAIN_READ, ATOMIC_READ, false},
        {PLAIN_READ, PLAIN_READ, false},    {ATOMIC_READ, PLAIN_WRITE, true},
        {ATOMIC_WRITE, PLAIN_READ, true},   {ATOMIC_WRITE, PLAIN_WRITE, true},
        {PLAIN_READ, ATOMIC_WRITE, true},   {PLAIN_WRITE, ATOMIC_READ, true},
        {PLAIN_WRITE, ATOMIC_WRITE, true},  {PLAIN_READ, PLAIN_WRITE, true},
        {PLAIN_WRITE, PLAIN_READ, true},    {PLAIN_WRITE, PLAIN_WRITE, true},
    };
    for (size_t size = 1; size <= 16; size *= 2)
        for (size_t i = 0; i < array_length(pair); i++) {
            begin(state);
            assert_false(access(0, pair[i].first, 32, size));
            assert_int_equal(access(1, pair[i].second, 32, size), pair[i].race);
            if (pair[i].race)
                assert_int_equal(found.conflict.kind, pair[i].first);
            begin(state);
            assert_false(access(0, pair[i].first, 32, size));
            learn(1, 0);
            assert_false(access(1, pair[i].second, 32, size));
        }
}

/* Words whose bytes are accessed one by one are mixed in between, and plain again when all of them were. */
static void a_pass_over_bytes_needs_no_cells(void **state)
{
    (void)state;
    static const enum access_kind kind[] = {W, R, W, R};
    uint32_t records = record_live(), groups = bytes_live(), now[array_length(kind)];
    for (size_t pass = 0; pass < array_length(kind); pass++) {
        for (size_t at = 0; at < 4096; at++) {
            assert_false(access((unsigned)pass % 2, kind[pass], at, 1));
            assert_int_equal(word_mixed(*shadow_of(BASE + at)), at % 4 != 3);
        }
        now[pass] = who[pass % 2].actor.now;
        learn(!(pass % 2), pass % 2);
    }
    for (size_t at = 0; at < 4096; at += 4)
        assert_int_equal(*shadow_of(BASE + at), (uint64_t)now[3] << 32 | now[2]);
    assert_int_equal(record_live(), records);
    assert_int_equal(bytes_live(), groups);
}

/* Four epochs do not fit a mixed pair: a word gets cells, and is one again when all of it was accessed twice. */
static void bytes_in_many_epochs_have_cells(void **state)
{
    (void)state;
    for (unsigned thread = 0; thread < 4; thread++)
        assert_false(access(thread, W, thread, 1));
    assert_true(word_paged(*shadow_of(BASE)));
    for (unsigned thread = 1; thread < 4; thread++)
        learn(0, thread);
    assert_false(access(0, W, 0, 4));
    assert_true(word_paged(*shadow_of(BASE)));
    assert_false(access(0, W, 0, 4));
    assert_int_equal(*shadow_of(BASE), who[0].actor.now);
}

/* A mixed pair has 29 bits for an epoch. Whose slot is too high for that has cells, and so have its neighbours. */
static void epochs_of_high_slots_do_not_fit(void **state)
{
    uint32_t usual = half_bits;
    half_bits = HALF_BITS - 4;
    begin(state);
    assert_true(half_first(12) > MIXED_EPOCH_MASK);
    assert_false(access(12, W, 0, 1));
    assert_true(word_paged(*shadow_of(BASE)));
    assert_false(access(3, W, 9, 1));
    assert_true(word_mixed(*shadow_of(BASE + 8)));
    assert_false(access(12, W, 10, 1));
    assert_true(word_paged(*shadow_of(BASE + 8)));
    assert_false(access(12, W, 16, 4));
    assert_false(access(3, W, 20, 1));
    assert_true(word_paged(*shadow_of(BASE + 20)));
    static const size_t at[] = {0, 10, 16};
    for (size_t i = 0; i < array_length(at); i++) {
        assert_true(access(1, W, at[i], 1));
        assert_int_equal(found.conflict.earlier, who[12].actor.now);
    }
    half_bits = usual;
}

enum { ODD_WORDS = 64 };

/* The last byte of some words is written by thread 0. */
static void write_last_bytes(void)
{
    for (size_t at = 0; at < 4 * ODD_WORDS; at += 4)
        assert_false(access(0, W, at + 3, 1));
    assert_true(word_mixed(*shadow_of(BASE + 4 * (ODD_WORDS - 1))));
}

/* Memory that is about to go: the bytes that race are told. */
static void a_check_of_a_write_knows_bytes(void **state)
{
    (void)state;
    write_last_bytes();
    for (size_t at = 0; at < 4 * ODD_WORDS; at += 4) {
        shadow_check_write(BASE + at, 3, &who[1].actor, &found);
        assert_int_equal(found.conflict.earlier, 0);
        shadow_check_write(BASE + at, 4, &who[1].actor, &found);
        assert_int_equal(found.conflict.earlier, who[0].actor.now);
        assert_int_equal(found.address, BASE + at + 3);
    }
    assert_true(word_paged(*shadow_of(BASE + 4 * (ODD_WORDS - 1)))); /* the same, said by cells */
}

static void bytes_keep_their_states_where_they_are_moved(void **state)
{
    (void)state;
    enum { AWAY = 1 << 16 };
    write_last_bytes();
    shadow_move(BASE, BASE + AWAY, 1 << CHUNK_BITS);
    for (size_t at = AWAY; at < AWAY + 4 * ODD_WORDS; at += 4) {
        assert_false(access(1, W, at, 3));
        assert_true(access(1, W, at + 3, 1));
    }
}

static void what_was_atomic_folds_when_it_is_plain_again(void **state)
{
    (void)state;
    uint32_t before = record_live();
    assert_false(access(0, ATOMIC_WRITE, 0, 8));
    assert_int_equal(record_live(), before + 2);
    assert_false(access(1, ATOMIC_READ, 0, 8));
    learn(2, 0);
    learn(2, 1);
    assert_false(access(2, W, 0, 8));
    assert_int_equal(record_live(), before);
}

/* The same readers in the same epochs are the same set: the words are equal. */
static void read_sets_are_interned(void **state)
{
    (void)state;
    for (unsigned reader = 0; reader < 8; reader++)
        assert_false(access(reader, R, 0, 4096));
    uint64_t word = *shadow_of(BASE);
    assert_true(read_half(word) & NARROW_TAG);
    for (size_t at = 4; at < 4096; at += 4)
        assert_int_equal(*shadow_of(BASE + at), word);
    for (unsigned reader = 8; reader-- > 0;) /* in another order */
        assert_false(access(reader, R, 4096, 4));
    assert_int_equal(*shadow_of(BASE + 4096), word);
}

/* --- bytes that are read again and again --- */

enum { READERS = 12, EPOCHS = 50 };

static unsigned first_byte(unsigned reader)
{
    return reader % 3;
}

/* Readers read up to byte `last` of what begins at 64, each time in a new epoch. In the end, if that is byte 4, all of the
 * word. */
static void read_often(size_t last)
{
    for (unsigned n = 0; n < EPOCHS; n++)
        for (unsigned reader = 1; reader <= READERS; reader++) {
            unsigned from = last == 4 && n >= EPOCHS / 2 ? 0 : first_byte(reader);
            tick(reader);
            assert_false(access(reader, R, 64 + from, last - from));
            if (last < 4)
                assert_false(same_epoch(BASE + 64 + from, 4 - from, R, who[reader].actor.now));
            assert_false(same_epoch(BASE + 64 + from, 1, W, who[reader].actor.now));
        }
}

/* Of one word, or of two. */
static void readers_of_bytes_are_not_forgotten(void **state)
{
    uint32_t records = record_live();
    for (unsigned i = 0; i < 4 * READERS * 8; i++) {
        unsigned vectors = i & 1, last = i & 2 ? 3 : 6, byte = i / 4 % 8, forgotten = 1 + i / 32;
        with_sets_or_vectors[vectors](state);
        read_often(last);
        uint32_t last_epoch = who[forgotten].actor.now;
        if (vectors) {
            unsigned from = first_byte(forgotten);
            assert_true(same_epoch(BASE + 64 + from, last - from, R, last_epoch));
            assert_int_equal(vector_live(), last);
        }
        for (unsigned reader = 1; reader <= READERS; reader++)
            if (reader != forgotten)
                learn(0, reader);
        bool has_read = byte >= first_byte(forgotten) && byte < last;
        assert_int_equal(access(0, byte % 2 ? ATOMIC_WRITE : W, 64 + byte, 1), has_read);
        if (has_read) {
            assert_int_equal(found.conflict.earlier, last_epoch);
            assert_int_equal(found.conflict.kind, PLAIN_READ);
            assert_int_equal(found.address, BASE + 64 + byte);
        }
        learn(0, forgotten);
        assert_false(access(0, W, 64, 8));
        assert_int_equal(record_live(), records);
        assert_int_equal(vector_live(), 0);
    }
}

static void bytes_that_are_read_together_again_are_one_write_away_from_a_word(void **state)
{
    uint32_t records = record_live();
    for (unsigned vectors = 0; vectors < 2; vectors++) {
        with_sets_or_vectors[vectors](state);
        read_often(4);
        for (unsigned reader = 2; reader <= READERS; reader++)
            learn(0, reader);
        assert_true(access(0, W, 64, 4));
        assert_int_equal(found.conflict.earlier, who[1].actor.now);
        assert_false(access(0, W, 64, 4));
        assert_int_equal(*shadow_of(BASE + 64), who[0].actor.now);
        assert_int_equal(record_live(), records);
        assert_int_equal(vector_live(), 0);
    }
}

/* Who is ordered after all of them may write. */
static void one_reader_stands_for_those_it_knows(void **state)
{
    for (unsigned vectors = 0; vectors < 2; vectors++) {
        with_sets_or_vectors[vectors](state);
        read_often(3);
        for (unsigned reader = 2; reader <= READERS; reader++)
            learn(1, reader);
        for (unsigned n = 0; n < EPOCHS; n++) {
            tick(1);
            access(1, R, 64, 4);
            access(1, R, 64, 1);
        }
        learn(0, 1);
        assert_false(access(0, W, 64, 4));
    }
}

/* What was read byte by byte, and what was read as a word after one of its bytes was. */
static void words_that_were_read_in_parts_know_their_readers(void **state)
{
    for (unsigned vectors = 0; vectors < 2; vectors++) {
        with_sets_or_vectors[vectors](state);
        for (unsigned reader = 1; reader <= 3; reader++)
            for (unsigned at = 32; at < 64; at++)
                assert_false(access(reader, R, at, 1));
        assert_false(access(1, R, 66, 1));
        tick(1);
        assert_false(access(1, R, 64, 4));
        assert_false(access(2, R, 64, 4));
        assert_false(access(0, W, 128, 4));
        learn(0, 1);
        learn(0, 2);
        assert_false(access(0, W, 64, 4));
        assert_true(access(0, W, 32, 4));
        assert_int_equal(found.conflict.earlier, who[3].actor.now);
    }
}

/* Readers go along with memory that moves, and are as many. */
static void readers_are_not_forgotten_where_they_are_moved(void **state)
{
    enum { AWAY = 1 << 16 };
    for (unsigned i = 0; i < 2 * 2 * 3; i++) {
        size_t size = i & 2 ? 4 : 1;
        unsigned forgotten = 1 + i / 4;
        with_sets_or_vectors[i & 1](state);
        for (unsigned reader = 1; reader <= 3; reader++)
            assert_false(access(reader, R, 64, size));
        shadow_move(BASE, BASE + AWAY, 4096);
        for (unsigned reader = 1; reader <= 3; reader++)
            if (reader != forgotten)
                learn(0, reader);
        assert_true(access(0, W, AWAY + 64, size));
        assert_int_equal(found.conflict.earlier, half_of(epoch_of(forgotten, 1)));
    }
}

static void what_is_cleared_is_forgotten(void **state)
{
    for (size_t size = 1; size <= BYTES - 4096; size = size * 5 + 3) { /* small: zeroed; large: given back */
        begin(state);
        for (size_t at = 0; at < BYTES; at += 64)
            assert_false(access(0, W, at, 4));
        shadow_clear(BASE + 64, size);
        assert_true(access(1, W, 0, 4));
        for (size_t at = 64; at < BYTES; at += 64)
            assert_int_equal(access(1, W, at, 4), at >= 64 + size);
    }
}

int main(void)
{
    who = calloc(ACTORS, sizeof *who);
    if (who == NULL || !shadow_map_init())
        return EXIT_FAILURE;
    shadow_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(neighbouring_bytes_do_not_race, begin),
        cmocka_unit_test_setup(one_byte_of_overlap_races, begin),
        cmocka_unit_test_setup(the_eighth_reader_is_not_forgotten, begin),
        cmocka_unit_test_setup(whoever_knows_all_readers_may_write, begin),
        cmocka_unit_test_setup(a_write_long_ago_is_not_forgotten, begin),
        cmocka_unit_test_setup(atomics_race_with_plain_accesses_only, begin),
        cmocka_unit_test_setup(a_pass_over_bytes_needs_no_cells, begin),
        cmocka_unit_test_setup(bytes_in_many_epochs_have_cells, begin),
        cmocka_unit_test(epochs_of_high_slots_do_not_fit),
        cmocka_unit_test_setup(a_check_of_a_write_knows_bytes, begin),
        cmocka_unit_test_setup(bytes_keep_their_states_where_they_are_moved, begin),
        cmocka_unit_test_setup(what_was_atomic_folds_when_it_is_plain_again, begin),
        cmocka_unit_test_setup(read_sets_are_interned, begin),
        cmocka_unit_test(readers_of_bytes_are_not_forgotten),
        cmocka_unit_test(bytes_that_are_read_together_again_are_one_write_away_from_a_word),
        cmocka_unit_test(one_reader_stands_for_those_it_knows),
        cmocka_unit_test(words_that_were_read_in_parts_know_their_readers),
        cmocka_unit_test(readers_are_not_forgotten_where_they_are_moved),
        cmocka_unit_test_setup(what_is_cleared_is_forgotten, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
