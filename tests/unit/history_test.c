/* The history of a thread against a list of all that was put there: what is said of an access is true, and so much is kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/past_sync.h"
#include "runtime/stack.h"
#include "runtime/world.h"

__thread struct thread *thread_self;

void world_attend(struct thread *t)
{
    (void)t;
}

enum { FRAMES = 8, STEPS = 60000, PLACES = 12, RECENT = 4000 };

static struct frame frames[FRAMES];

static struct thread *new_thread(void)
{
    struct thread *t = calloc(1, sizeof *t);
    history_size = 0; /* 8,192 entries */
    history_new(t);
    memset(frames, 0, sizeof frames);
    t->stack = frames;
    t->top = frames + 1;
    t->top->pc = 0x1000;
    t->actor.now = half_first(0) + 1;
    thread_self = t;
    return t;
}

static void free_thread(struct thread *t)
{
    history_free(t);
    free(t);
}

struct fact {
    struct access access;
    uint32_t when, node, held_changes;
};

static bool says(const struct fact *f, const struct access_site *site, uint32_t when, uintptr_t byte)
{
    return f->when == when && f->access.kind == site->kind && byte - f->access.address < f->access.size &&
           f->access.pc == site->pc && f->access.address == site->address && f->access.size == site->size &&
           f->access.is_free == site->is_free && f->node == site->node &&
           f->held_changes == site->held_changes;
}

static struct fact *facts;
static size_t count;

static void add(struct thread *t, const struct access *a)
{
    history_add(t, a);
    facts[count++] = (struct fact){
        .access = *a, .when = t->actor.now, .node = stack_node(t), .held_changes = t->held_changes};
}

/* Something happens that accesses are told apart by. */
static void change(struct thread *t)
{
    switch (rand() % 5) {
    case 0:
        t->actor.now++;
        history_change_context(t);
        break;
    case 1:
        t->held_changes++;
        history_change_context(t);
        break;
    case 2:
        past_sync_add(t, SYNC_BARRIER, rand() % 2 ? HISTORY_ACQUIRES : HISTORY_RELEASES, 0x77000, 0x88);
        break;
    default:
        if (t->top > frames + 1 && rand() % 2)
            t->top--;
        else if (t->top < frames + FRAMES - 1)
            *++t->top = (struct frame){.pc = 0x1000 + 16 * (uintptr_t)(rand() % 20)};
    }
}

static struct access random_access(void)
{
    static const uint32_t sizes[] = {1, 2, 4, 8, 16, 300};
    uintptr_t pc = 0x400000 + 5 * (uintptr_t)(rand() % 200);
    return (struct access){.address = 0x10000 + (uintptr_t)(rand() % 50000),
                           .pc = pc,
                           .size = sizes[pc % array_length(sizes)],
                           .kind = pc / 7 % 2 ? PLAIN_WRITE : PLAIN_READ,
                           .is_free = pc % 31 == 0};
}

/* A loop with several accesses, that jump now and then. */
static void loop(struct thread *t)
{
    struct access a[PLACES];
    int64_t stride[PLACES];
    int places = 1 + rand() % PLACES, length = 1 << rand() % 9;
    for (int i = 0; i < places; i++) {
        a[i] = random_access();
        stride[i] = rand() % 4 == 0 ? rand() % 10000 - 5000 : (int64_t)a[i].size;
    }
    for (int step = 0; step < length && count + PLACES < STEPS; step++)
        for (int i = 0; i < places; i++) {
            add(t, &a[i]);
            a[i].address += (uintptr_t)(rand() % 50 == 0 ? rand() % 64 : stride[i]);
        }
}

/* What is said of this byte in that epoch is true of one of the accesses. Returns whether something is said. */
static bool says_the_truth(const struct thread *t, uint32_t when, uintptr_t byte, enum access_kind kind)
{
    struct access_site site;
    if (!history_find(t, when, byte, kind, &site))
        return false;
    bool is_one = false;
    for (size_t k = count; k-- > 0 && !is_one;)
        is_one = says(&facts[k], &site, when, byte);
    assert_true(is_one);
    return true;
}

/* Something is said of the latest accesses. */
static void check(struct thread *t)
{
    for (size_t i = count > RECENT ? count - RECENT : 0; i < count; i += 1 + (size_t)rand() % 40) {
        const struct fact *f = &facts[i];
        uintptr_t byte = f->access.address + (uintptr_t)rand() % f->access.size;
        assert_true(says_the_truth(t, f->when, byte, f->access.kind));
        assert_false(says_the_truth(t, f->when, byte + ((uintptr_t)1 << 40), f->access.kind));
        const struct fact *other = &facts[(size_t)rand() % count];
        says_the_truth(t, f->when, other->access.address, other->access.kind);
    }
}

static void says_what_was_put_there(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct thread *t = new_thread();
        facts = calloc(STEPS + PLACES, sizeof *facts);
        count = 0;
        srand(seed);
        while (count + PLACES < STEPS) {
            if (rand() % 3 == 0)
                loop(t);
            struct access a = random_access();
            add(t, &a);
            change(t);
            if (rand() % 400 == 0)
                check(t);
        }
        check(t);
        free(facts);
        free_thread(t);
    }
}

/* Without runs, all blocks but the one that is being written are known to their last entry. */
static void keeps_all_blocks(void **state)
{
    enum { LENGTH = 50000, KNOWN = 7000 };
    struct thread *t = new_thread();
    struct access_site site;
    (void)state;
    for (uintptr_t i = 0; i < LENGTH; i++)
        history_add(
            t, &(struct access){.address = 0x100000 + i * i, .pc = 16 * i, .size = 1, .kind = PLAIN_READ});
    for (uintptr_t i = LENGTH - KNOWN; i < LENGTH; i++) {
        assert_true(history_find(t, t->actor.now, 0x100000 + i * i, PLAIN_READ, &site));
        assert_int_equal(site.pc, 16 * i);
    }
    free_thread(t);
}

/* The last entries of a block stay empty when what comes next needs more; it is the second lap that may find something there. */
static void leaves_nothing_of_an_earlier_lap(void **state)
{
    struct thread *t = new_thread();
    struct access_site site;
    (void)state;
    for (uintptr_t i = 0; i < 30000; i++) {
        if (i == 20000) {
            t->actor.now++;
            history_change_context(t);
        }
        history_add(t, &(struct access){.address = i < 20000 ? 0x100000 : 0x200000,
                                        .pc = 16 * i,
                                        .size = i % 3 ? 8 : 512,
                                        .kind = PLAIN_WRITE});
    }
    assert_false(history_find(t, t->actor.now, 0x100000, PLAIN_WRITE, &site));
    assert_true(history_find(t, t->actor.now, 0x200000, PLAIN_WRITE, &site));
    free_thread(t);
}

static void tells_distances_apart(void **state)
{
    struct thread *t = new_thread();
    struct access_site site;
    const struct access first = {.address = 0x100000, .pc = 0x10, .size = 8, .kind = PLAIN_READ},
                        second = {.address = 0x100000 + 8 * 8, .pc = 0x10, .size = 8, .kind = PLAIN_READ};
    (void)state;
    history_add_run(t, &first, 8, 8);
    history_add_run(t, &second, 8, 16);
    for (uintptr_t i = 0; i < HISTORY_BLOCK; i++)
        history_add(t,
                    &(struct access){.address = 0x900000 + 8 * i, .pc = 0x20, .size = 8, .kind = PLAIN_READ});
    assert_true(history_window(t).head < HISTORY_BLOCK / 2); /* it was folded */
    assert_true(history_find(t, t->actor.now, 0x100000 + 8 * 7, PLAIN_READ, &site));
    assert_true(history_find(t, t->actor.now, 0x100000 + 8 * 8 + 16 * 7, PLAIN_READ, &site));
    assert_false(history_find(t, t->actor.now, 0x100000 + 8 * 9, PLAIN_READ, &site));
    free_thread(t);
}

/* An access of a loop's place that has a run of its own, where the loop would go on. */
static void tells_runs_from_steps(void **state)
{
    struct thread *t = new_thread();
    struct access_site site;
    (void)state;
    for (uintptr_t i = 0; i < 100; i++)
        history_add(t,
                    &(struct access){.address = 0x100000 + 8 * i, .pc = 0x10, .size = 8, .kind = PLAIN_READ});
    history_add_run(
        t, &(struct access){.address = 0x100000 + 8 * 100, .pc = 0x10, .size = 8, .kind = PLAIN_READ}, 5,
        4096);
    for (uintptr_t i = 0; i < HISTORY_BLOCK; i++)
        history_add(t,
                    &(struct access){.address = 0x900000 + 8 * i, .pc = 0x20, .size = 8, .kind = PLAIN_READ});
    assert_true(history_window(t).head < HISTORY_BLOCK / 2); /* it was folded */
    for (uintptr_t i = 0; i < 5; i++) {
        assert_true(history_find(t, t->actor.now, 0x100000 + 8 * 100 + 4096 * i, PLAIN_READ, &site));
        assert_int_equal(site.address, 0x100000 + 8 * 100 + 4096 * i);
    }
    assert_true(history_find(t, t->actor.now, 0x100000 + 8 * 99, PLAIN_READ, &site));
    assert_false(history_find(t, t->actor.now, 0x100000 + 8 * 101, PLAIN_READ, &site));
    free_thread(t);
}

static void keeps_a_long_loop(void **state)
{
    enum { LENGTH = 1000000 };
    struct thread *t = new_thread();
    struct access_site site;
    (void)state;
    for (uintptr_t i = 0; i < LENGTH; i++) {
        history_add(t,
                    &(struct access){.address = 0x100000 + 8 * i, .pc = 0x10, .size = 8, .kind = PLAIN_READ});
        history_add(
            t, &(struct access){.address = 0x9000000 - 4 * i, .pc = 0x20, .size = 4, .kind = PLAIN_WRITE});
    }
    assert_true(history_find(t, t->actor.now, 0x100003, PLAIN_READ, &site));
    assert_int_equal(site.pc, 0x10);
    assert_int_equal(site.address, 0x100000);
    assert_true(history_find(t, t->actor.now, 0x9000000 - 4 * (LENGTH - 1), PLAIN_WRITE, &site));
    assert_int_equal(site.pc, 0x20);
    assert_true(history_window(t).head < 2000);
    free_thread(t);
}

/* While somebody reads, entries keep their numbers, and none is lost before its time. */
static void is_held(void **state)
{
    enum { LENGTH = 3000 };
    struct thread *t = new_thread();
    struct access_site first, again;
    (void)state;
    history_hold();
    for (uintptr_t i = 0; i < LENGTH; i++)
        history_add(t,
                    &(struct access){.address = 0x100000 + 8 * i, .pc = 0x10, .size = 8, .kind = PLAIN_READ});
    assert_true(history_window(t).head >= LENGTH);
    assert_true(history_find(t, t->actor.now, 0x100000, PLAIN_READ, &first));
    assert_true(first.number != 0);
    history_release();
    for (uintptr_t i = LENGTH; i < 2 * LENGTH; i++)
        history_add(t,
                    &(struct access){.address = 0x100000 + 8 * i, .pc = 0x10, .size = 8, .kind = PLAIN_READ});
    assert_true(history_window(t).head < 2 * LENGTH);
    assert_true(history_find(t, t->actor.now, 0x100000, PLAIN_READ, &again));
    free_thread(t);
}

static void forgets_epochs_that_mean_something_else(void **state)
{
    struct thread *t = new_thread();
    struct access_site site;
    (void)state;
    history_add(t, &(struct access){.address = 0x100000, .pc = 0x10, .size = 8, .kind = PLAIN_READ});
    history_forget_epochs(t, t->actor.now, t->actor.now);
    assert_false(history_find(t, t->actor.now, 0x100000, PLAIN_READ, &site));
    history_add(t, &(struct access){.address = 0x100000, .pc = 0x10, .size = 8, .kind = PLAIN_READ});
    assert_true(history_find(t, t->actor.now, 0x100000, PLAIN_READ, &site));
    free_thread(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_was_put_there),
        cmocka_unit_test(keeps_all_blocks),
        cmocka_unit_test(leaves_nothing_of_an_earlier_lap),
        cmocka_unit_test(tells_distances_apart),
        cmocka_unit_test(tells_runs_from_steps),
        cmocka_unit_test(keeps_a_long_loop),
        cmocka_unit_test(is_held),
        cmocka_unit_test(forgets_epochs_that_mean_something_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
