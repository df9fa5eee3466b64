/* What only the generic host does with detectors (src/runtime/host/): variables are copied, rounds that one
 * thread has arrived at are left by any number of others and then dropped, threads that ended are joined for
 * the last time or by nobody. On random runs of such steps every precise detector, those with tiny limits
 * too, says the same as the oracle up to the first race of each variable; and it gives all of its memory
 * back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "detect/detectors.h"
#include "support/test_detectors.h"

enum { THREADS = 40, VARIABLES = 12, ROUNDS = 6, STEPS = 400, RUNS = 3000 };

enum { STEP_COPY = OP_COUNT }; /* besides events: `thread` names the variable to copy, `target` the new one */

static struct event step[STEPS];
static uint32_t steps;

/* --- a run --- */

static uint64_t random_state;

static uint32_t below(uint32_t bound)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random_state >> 33) % bound);
}

static struct {
    uint32_t threads; /* 0 .. threads - 1 were forked */
    bool gone[THREADS];
    bool posted[ROUNDS];
    bool touched[VARIABLES];
} world;

static void add(uint32_t thread, unsigned op, uint32_t target, unsigned flags)
{
    step[steps++] =
        (struct event){.thread = thread, .target = target, .op = (uint8_t)op, .flags = (uint8_t)flags};
}

static uint32_t some_thread(void)
{
    uint32_t t;
    do
        t = below(world.threads);
    while (world.gone[t]);
    return t;
}

static void add_access(void)
{
    uint32_t x = below(VARIABLES);
    add(some_thread(), below(3) == 0 ? OP_WRITE : OP_READ, x, 0);
    world.touched[x] = true;
}

static void add_variable_step(void)
{
    uint32_t x = below(VARIABLES), y = below(VARIABLES);
    if (x == y)
        return;
    if (world.touched[y])
        add(0, OP_ALLOC, y, 0);
    if (below(2) == 0)
        add(x, STEP_COPY, y, 0);
    world.touched[y] = true; /* or might be: that is not told apart */
}

static void add_sync(void)
{
    uint32_t r = below(ROUNDS);
    if (!world.posted[r])
        add(some_thread(), OP_BARRIER_IN, r, 0);
    else if (below(3) > 0)
        add(some_thread(), OP_BARRIER_OUT, r, 0);
    else
        add(0, OP_BARRIER_OUT, r, EVENT_LAST_OUT | EVENT_NOBODY);
    world.posted[r] = step[steps - 1].flags == 0;
}

static void add_thread_step(void)
{
    uint32_t t = some_thread(), u = some_thread();
    if (world.threads < THREADS && below(2) == 0) {
        add(t, OP_FORK, world.threads++, 0);
    } else if (t != u && u != 0) {
        bool joined = below(2);
        add(joined ? t : 0, OP_JOIN, u, joined ? EVENT_LAST_OUT : EVENT_LAST_OUT | EVENT_NOBODY);
        world.gone[u] = true;
    }
}

static void generate(uint64_t seed)
{
    random_state = seed * 2 + 1;
    steps = 0;
    memset(&world, 0, sizeof world);
    world.threads = 1;
    add(0, OP_DUMMY, NO_TARGET, EVENT_STARTS_THREAD);
    while (steps < STEPS - 2) {
        uint32_t what = below(10);
        if (what < 5)
            add_access();
        else if (what < 8)
            add_sync();
        else if (what < 9)
            add_variable_step();
        else
            add_thread_step();
    }
}

/* --- what a detector says --- */

static void note(void *raced, const struct race *race)
{
    (void)race;
    *(bool *)raced = true;
}

static void run(const struct detector *d, bool raced[STEPS])
{
    bool now;
    struct host host = {.closed_world = true, .found = note, .to = &now};
    void *state = d->create(&host);
    host.extent = (struct extent){.threads = THREADS, .variables = VARIABLES, .rounds = ROUNDS};
    d->extend(state);
    for (uint32_t i = 0; i < steps; i++) {
        now = false;
        if (step[i].op == STEP_COPY)
            d->copy(state, step[i].thread, step[i].target);
        else
            d->block(state, &step[i], 1, i + 1);
        raced[i] = now;
    }
    d->destroy(state);
    assert_int_equal(host.mem.bytes, 0);
}

static void compare(const struct detector *d, const bool expected[STEPS], uint64_t seed)
{
    bool raced[STEPS], racy[VARIABLES] = {false};
    run(d, raced);
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t x = step[i].target;
        if (step[i].op == STEP_COPY)
            racy[x] = racy[step[i].thread];
        if (step[i].op == OP_ALLOC)
            racy[x] = false;
        if (step[i].op > OP_WRITE || racy[x])
            continue;
        if (raced[i] != expected[i])
            fail_msg("%s: seed %llu, step %u: %s", d->name, (unsigned long long)seed, i,
                     expected[i] ? "race missed" : "no race, but one found");
        racy[x] = raced[i];
    }
}

static void detectors_agree(void **state)
{
    (void)state;
    uint32_t races = 0;
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        bool expected[STEPS];
        generate(seed);
        run(&detector_oracle, expected);
        for (uint32_t i = 0; i < steps; i++)
            races += expected[i];
        for (size_t i = 0; detectors[i] != NULL; i++)
            if (detectors[i]->precise)
                compare(detectors[i], expected, seed);
        for (size_t i = 0; test_detectors[i] != NULL; i++)
            compare(test_detectors[i], expected, seed);
    }
    assert_true(races > RUNS); /* there was something to find */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(detectors_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
