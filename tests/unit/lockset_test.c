/* Locksets against bit masks: every operation, sharing, and what a sweep keeps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "clock/lockset.h"

enum { IDS = 24 }; /* bit i of a mask is id 7 * i */

static uint64_t state;

static uint32_t below(uint32_t bound)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) * bound >> 31);
}

static lockset set_of(struct locksets *table, uint32_t mask)
{
    lockset set = LOCKSET_EMPTY;
    for (uint32_t i = 0; i < IDS; i++) /* in another order for every mask */
        if (mask >> (i * 5 + mask) % IDS & 1)
            set = lockset_with(table, set, (i * 5 + mask) % IDS * 7);
    return set;
}

static uint32_t mask_of(const struct locksets *table, lockset set)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < IDS; i++)
        mask |= (uint32_t)lockset_has(table, set, 7 * i) << i;
    assert_int_equal(lockset_count(table, set), __builtin_popcount(mask));
    return mask;
}

static void check_pair(struct locksets *table, uint32_t a, uint32_t b)
{
    uint32_t id = below(IDS);
    lockset x = set_of(table, a), y = set_of(table, b);
    assert_int_equal(mask_of(table, x), a);
    assert_int_equal(lockset_same(x, y), a == b);
    assert_int_equal(lockset_is_empty(x), a == 0);
    assert_true(lockset_same(lockset_common(table, x, y), set_of(table, a & b)));
    assert_true(lockset_same(lockset_with(table, x, 7 * id), set_of(table, a | 1u << id)));
    assert_true(lockset_same(lockset_without(table, x, 7 * id), set_of(table, a & ~(1u << id))));
    assert_false(lockset_has(table, x, 7 * id + 1));
}

static void operations_agree_with_masks(void **unused)
{
    (void)unused;
    struct mem mem = {0};
    struct locksets table;
    locksets_init(&table, &mem);
    for (int i = 0; i < 3000; i++) {
        uint32_t few = below(2) ? (1u << IDS) - 1 : 0xff;
        check_pair(&table, below(1u << IDS) & few, below(1u << IDS) & few);
    }
    assert_true(locksets_valid(&table));
    locksets_free(&table);
    assert_int_equal(mem.bytes, 0);
}

static void equal_sets_are_stored_once(void **unused)
{
    (void)unused;
    struct mem mem = {0};
    struct locksets table;
    locksets_init(&table, &mem);
    lockset abc = set_of(&table, 7);
    size_t sets = table.live;
    for (int i = 0; i < 100; i++) {
        assert_true(lockset_same(lockset_with(&table, abc, 7), abc));
        assert_true(lockset_same(lockset_common(&table, abc, abc), abc));
        assert_true(lockset_same(lockset_without(&table, abc, 8), abc));
    }
    assert_int_equal(table.live, sets);
    locksets_free(&table);
    assert_int_equal(mem.bytes, 0);
}

/* Marked sets keep their handles; the others make room, and the table stays within twice what is in use. */
static void a_sweep_keeps_what_is_marked(void **unused)
{
    (void)unused;
    enum { KEPT = 200, ROUNDS = 200000 };
    struct mem mem = {0};
    struct locksets table;
    lockset kept[KEPT];
    uint32_t mask[KEPT], sweeps = 0;
    locksets_init(&table, &mem);
    for (int i = 0; i < KEPT; i++)
        kept[i] = set_of(&table, mask[i] = below(1u << IDS));
    for (int i = 0; i < ROUNDS; i++) {
        int which = (int)below(KEPT);
        kept[which] = below(2) ? lockset_with(&table, kept[which], 7 * below(IDS))
                               : lockset_without(&table, kept[which], 7 * below(IDS));
        mask[which] = mask_of(&table, kept[which]);
        if (!locksets_crowded(&table))
            continue;
        for (int j = 0; j < KEPT; j++)
            lockset_mark(&table, kept[j]);
        locksets_sweep(&table);
        assert_true(table.live <= KEPT);
        assert_true(locksets_valid(&table));
        sweeps++;
    }
    for (int i = 0; i < KEPT; i++) {
        assert_int_equal(mask_of(&table, kept[i]), mask[i]);
        assert_true(lockset_same(set_of(&table, mask[i]), kept[i]));
    }
    assert_true(sweeps > 10);
    assert_true(mem.peak < 500000);
    locksets_free(&table);
    assert_int_equal(mem.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_agree_with_masks),
        cmocka_unit_test(equal_sets_are_stored_once),
        cmocka_unit_test(a_sweep_keeps_what_is_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
