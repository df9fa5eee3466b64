/* Two accesses at the same time, through the runtime: one is interrupted before any of its atomic operations, the other
 * runs then, whole or up to any operation of its own. Whatever the order, a race is told by one of the two, none is told
 * that is not there, neither is forgotten, and nothing is lost of what they used.
 *
 * The two are simulated threads (live_world.h) that run as coroutines of this one real thread.
 *
 *   shadow_switch_test [--seed S] [--pauses N]     N: how many of the other's operations are tried for each of the first's
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define REPORTS_ELSEWHERE
#include "live_world.h"
#include "shadow/atomic.h"

enum { ALL, FIRST, OTHER, EARLY, EARLY_TOO, KNOWS_FIRST, KNOWS_OTHER, ACTORS };
enum { BYTES = 32 };

/* --- turns --- */

enum { NEVER = -1, WAITS = 300 /* operations: it waits for the other one */ };

static struct turn {
    jmp_buf place;
    int left; /* operations until the other one's turn */
    struct thread *self;
    uint32_t now;
    bool begun, interrupted, done;
} turns[2], *turn; /* NULL: nobody is in the middle of anything */

static ucontext_t other_begins;

static void switch_to(struct turn *next)
{
    struct turn *last = turn;
    last->self = thread_self;
    last->now = thread_now;
    turn = next;
    if (_setjmp(last->place) == 0) {
        if (!next->begun)
            setcontext(&other_begins);
        _longjmp(next->place, 1);
    }
    thread_self = turn->self;
    thread_now = turn->now;
}

void atomic_point(void); /* as in atomic_points.h */
void atomic_point(void)
{
    if (turn == NULL || turn->left-- > 0)
        return;
    struct turn *next = turn == &turns[0] ? &turns[1] : &turns[0];
    turn->left = WAITS;
    turn->interrupted = true;
    if (!next->done)
        switch_to(next);
}

/* --- accesses --- */

enum what { PLAIN, SLOW, FREE, UNMAP };

struct op {
    const char *name;
    enum what what;
    enum access_kind kind;
    unsigned at, size;
};

static const struct op ops[] = {
    {"read 1", PLAIN, PLAIN_READ, 1, 1},          {"write 1", PLAIN, PLAIN_WRITE, 1, 1},
    {"write 1 beside", PLAIN, PLAIN_WRITE, 2, 1}, {"read 2", PLAIN, PLAIN_READ, 0, 2},
    {"write 2", PLAIN, PLAIN_WRITE, 0, 2},        {"read 4", PLAIN, PLAIN_READ, 0, 4},
    {"write 4", PLAIN, PLAIN_WRITE, 0, 4},        {"write 4 beside", PLAIN, PLAIN_WRITE, 4, 4},
    {"read 8", PLAIN, PLAIN_READ, 0, 8},          {"write 8", PLAIN, PLAIN_WRITE, 0, 8},
    {"read 16", PLAIN, PLAIN_READ, 0, 16},        {"write 16", PLAIN, PLAIN_WRITE, 0, 16},
    {"read range", PLAIN, PLAIN_READ, 1, 18},     {"write range", PLAIN, PLAIN_WRITE, 1, 18},
    {"atomic load", PLAIN, ATOMIC_READ, 0, 4},    {"atomic store", PLAIN, ATOMIC_WRITE, 0, 8},
    {"free", FREE, PLAIN_WRITE, 0, 24},           {"unmap", UNMAP, PLAIN_WRITE, 0, 24},
};

/* What was there before: of threads that the other one knows, and the first one knows or not. */
static const struct before {
    const char *name;
    struct op by[2];
    bool vectors;
} befores[] = {
    {"nothing", {{0}}, false},
    {"a write", {{.kind = PLAIN_WRITE, .size = 16}}, false},
    {"a read", {{.kind = PLAIN_READ, .size = 16}}, false},
    {"reads", {{.kind = PLAIN_READ, .size = 16}, {.kind = PLAIN_READ, .size = 16}}, false},
    {"reads in vectors", {{.kind = PLAIN_READ, .size = 16}, {.kind = PLAIN_READ, .size = 16}}, true},
    {"a byte", {{.kind = PLAIN_WRITE, .at = 1, .size = 1}}, false},
    {"read bytes",
     {{.kind = PLAIN_READ, .at = 1, .size = 1}, {.kind = PLAIN_READ, .at = 1, .size = 2}},
     false},
    {"read bytes in vectors",
     {{.kind = PLAIN_READ, .at = 1, .size = 1}, {.kind = PLAIN_READ, .at = 1, .size = 2}},
     true},
    {"atomics", {{.kind = ATOMIC_WRITE, .size = 8}, {.kind = ATOMIC_READ, .size = 8}}, false},
    {"an atomic load", {{.kind = ATOMIC_READ, .size = 8}}, false},
    {"a free", {{.what = FREE, .kind = PLAIN_WRITE, .size = 24}}, false},
};

static char block[PAGE] __attribute__((aligned(PAGE)));
static unsigned told[ACTORS];

void report_race(struct thread *t, const struct race_access_live *current, const struct race_found *found)
{
    (void)current, (void)found;
    for (unsigned i = 0; i < ACTORS; i++)
        told[i] += threads[i] == t;
}

static void perform(const struct op *op, unsigned actor)
{
    uintptr_t address = (uintptr_t)block + op->at;
    const struct step s = {
        .thread = (uint8_t)actor, .kind = (uint8_t)op->kind, .size = (uint16_t)op->size, .way = 1};
    if (op->what == FREE)
        access_free(address, op->size, 1);
    else if (op->what == UNMAP)
        access_unmapping(address, op->size, 1);
    else if (op->what == SLOW)
        access_slow(address, op->size, op->kind, 1);
    else if (op->kind >= ATOMIC_READ)
        entry_atomic(&s, (void *)address);
    else
        entry_plain(&s, address);
}

static bool reaches(const struct op *op, unsigned byte)
{
    return byte - op->at < op->size;
}

static bool conflict(const struct op *a, const struct op *b)
{
    return a->at < b->at + b->size && b->at < a->at + a->size &&
           (kind_writes(a->kind) || kind_writes(b->kind)) &&
           (a->kind <= PLAIN_WRITE || b->kind <= PLAIN_WRITE);
}

/* --- the world --- */

static uintptr_t lock_of(unsigned actor)
{
    return (uintptr_t)locks + OBJECT_STRIDE * actor;
}

static void release(unsigned actor)
{
    become(threads[actor]);
    sync_release(threads[actor], lock_of(actor));
}

static void learn(unsigned actor, unsigned of)
{
    become(threads[actor]);
    sync_acquire(threads[actor], lock_of(of));
}

static uint32_t records_before;

static void prepare(const struct before *before, bool known)
{
    memset(told, 0, sizeof told);
    for (unsigned i = 0; i < ACTORS; i++) {
        release(i); /* a new epoch */
        threads[i]->actor.memo.churn = before->vectors ? UINT32_MAX / 2 : 0;
    }
    for (unsigned i = 0; i < 2; i++) {
        if (before->by[i].size == 0)
            continue;
        become(threads[EARLY + i]);
        perform(&before->by[i], EARLY + i);
    }
    for (unsigned early = EARLY; early <= EARLY_TOO; early++) {
        release(early);
        for (unsigned i = 0; i < ACTORS; i++)
            if (i != early && (i != FIRST || known))
                learn(i, early);
    }
}

static const struct op *op_of[ACTORS];

static void other_runs(void)
{
    turns[1].begun = true;
    thread_self = threads[OTHER];
    thread_now = threads[OTHER]->actor.now;
    perform(op_of[OTHER], OTHER);
    turns[1].done = true;
    switch_to(&turns[0]);
}

/* The other one comes before operation `at` of the first, and is interrupted before operation `pause` of its own, if it is
 * not NEVER. Returns whether the first one had so many. */
static bool run(int at, int pause)
{
    static char stack[1 << 18];
    turns[0] = (struct turn){.left = at, .begun = true};
    turns[1] = (struct turn){.left = pause == NEVER ? WAITS : pause};
    getcontext(&other_begins);
    other_begins.uc_stack.ss_sp = stack;
    other_begins.uc_stack.ss_size = sizeof stack;
    makecontext(&other_begins, other_runs, 0);
    become(threads[OTHER]);
    become(threads[FIRST]);
    turn = &turns[0];
    perform(op_of[FIRST], FIRST);
    turns[0].done = true;
    if (!turns[1].done)
        switch_to(&turns[1]);
    turn = NULL;
    return turns[0].interrupted;
}

/* --- judgement --- */

static const char *check_told(const struct before *before, bool known)
{
    const struct op *a = op_of[FIRST], *b = op_of[OTHER];
    bool unmap =
        a->what == UNMAP || b->what == UNMAP; /* leaves no trace: who comes later does not race with it */
    bool early = !known && (conflict(a, &before->by[0]) || conflict(a, &before->by[1]));
    bool race = conflict(a, b), any = told[FIRST] + told[OTHER] > 0;
    if (any && !race && !early)
        return "a race is told that is not there";
    if (!any && (early || (race && !unmap)))
        return "a race is not told";
    return NULL;
}

/* Does a write of each byte, by who knows all but `actor`, race with just what that one did? Of bytes whose race was told,
 * the shadow need not remember both. */
static const char *check_remembered(unsigned judge, unsigned actor)
{
    const struct op *own = op_of[actor], *others = op_of[FIRST + OTHER - actor];
    if (own->what == UNMAP)
        return NULL;
    for (unsigned byte = 0; byte < BYTES; byte++) {
        struct race_found found;
        shadow_check_write((uintptr_t)block + byte, 1, &threads[judge]->actor, &found);
        if (found.conflict.earlier != 0 && !reaches(own, byte))
            return "who knows the one races with it";
        if (found.conflict.earlier == 0 && reaches(own, byte) &&
            !(reaches(others, byte) && conflict(own, others)))
            return "one of the two is forgotten";
    }
    return NULL;
}

/* Who knows all of them writes everything: no race, and nothing is left of records and vectors. */
static const char *check_nothing_lost(void)
{
    memset(told, 0, sizeof told);
    learn(ALL, FIRST);
    learn(ALL, OTHER);
    __tsan_write_range((uintptr_t)block, BYTES);
    bool any = told[ALL] > 0;
    uint32_t records = record_live(), vectors = vector_live();
    shadow_clear((uintptr_t)block, BYTES);
    return any                         ? "who knows everything races with something"
           : records != records_before ? "records were lost"
           : vectors > 0               ? "vectors were lost"
                                       : NULL;
}

static const char *judge(const struct before *before, bool known)
{
    const char *wrong = check_told(before, known), *more;
    release(FIRST);
    release(OTHER);
    learn(KNOWS_FIRST, FIRST);
    learn(KNOWS_OTHER, OTHER);
    if (wrong == NULL && known)
        wrong = check_remembered(KNOWS_FIRST, OTHER);
    if (wrong == NULL && known)
        wrong = check_remembered(KNOWS_OTHER, FIRST);
    more = check_nothing_lost();
    return wrong != NULL ? wrong : more;
}

/* --- the tests --- */

static uint64_t seed = 1, runs;
static unsigned pauses = 2;

static int some_pause(void)
{
    enum { MOST_OPERATIONS = 64 };
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((seed >> 33) % MOST_OPERATIONS);
}

static void try(const struct before *before, bool known)
{
    bool interrupted = true;
    for (int at = 0; interrupted; at++)
        for (unsigned i = 0; i <= pauses; i++) {
            int pause = i == 0 ? NEVER : some_pause();
            prepare(before, known);
            interrupted = run(at, pause);
            const char *wrong = judge(before, known);
            runs++;
            if (wrong != NULL)
                fail_msg("%s, before: %s%s; other: %s, before operation %d, interrupted before its %d: %s",
                         op_of[FIRST]->name, before->name, known ? "" : ", not known", op_of[OTHER]->name, at,
                         pause, wrong);
        }
}

static void each_order_is_judged_right(void **state)
{
    (void)state;
    begin(&(struct schedule){.threads = 1});
    for (unsigned i = 1; i < ACTORS; i++)
        fork_thread(threads[0], i);
    records_before = record_live();
    prepare(&befores[0], true); /* the locks have records from now on */
    records_before = record_live();
    for (size_t i = 0; i < array_length(befores) * array_length(ops) * array_length(ops) * 2; i++) {
        op_of[FIRST] = &ops[i / 2 % array_length(ops)];
        op_of[OTHER] = &ops[i / 2 / array_length(ops) % array_length(ops)];
        if (op_of[FIRST]->what == FREE && op_of[OTHER]->what == FREE)
            continue; /* the heap of the program under test does not survive that either */
        try(&befores[i / 2 / array_length(ops) / array_length(ops)], i % 2);
    }
    printf("%llu orders\n", (unsigned long long)runs);
}

/* --- the other one does more than one thing --- */

static void (*others)(void);

static void others_run(void)
{
    turns[1].begun = true;
    become(threads[OTHER]);
    others();
    turns[1].done = true;
    switch_to(&turns[0]);
}

/* As run(), of all that `others` does. Returns whether both had so many operations. */
static bool run_all(const struct op *first, int at, int pause)
{
    static char stack[1 << 18];
    turns[0] = (struct turn){.left = at, .begun = true};
    turns[1] = (struct turn){.left = pause == NEVER ? INT_MAX : pause};
    getcontext(&other_begins);
    other_begins.uc_stack.ss_sp = stack;
    other_begins.uc_stack.ss_size = sizeof stack;
    makecontext(&other_begins, others_run, 0);
    become(threads[FIRST]);
    turn = &turns[0];
    perform(first, FIRST);
    turns[0].done = true;
    if (!turns[1].done)
        switch_to(&turns[1]);
    turn = NULL;
    return turns[0].interrupted && (pause == NEVER || turns[1].interrupted);
}

static void early_does(const struct op *op, unsigned early)
{
    become(threads[early]);
    perform(op, early);
    release(early);
    for (unsigned i = 0; i < ACTORS; i++)
        if (i != early)
            learn(i, early);
}

/* Two words that were written apart, and then a byte by another epoch: the pair's epochs have other numbers. */
static void make_plain_and_mix(void)
{
    perform(&(struct op){.kind = PLAIN_WRITE, .at = 0, .size = 4}, OTHER);
    release(OTHER);
    learn(KNOWS_OTHER, OTHER);
    perform(&(struct op){.kind = PLAIN_WRITE, .at = 1, .size = 1}, KNOWS_OTHER);
    become(threads[OTHER]);
}

static void a_pair_that_is_mixed_anew_is_looked_at_again(void **state)
{
    (void)state;
    for (enum what what = PLAIN; what <= SLOW; what++) {
        bool more = true;
        for (int at = 0; more; at++) {
            prepare(&befores[0], true);
            early_does(&(struct op){.kind = PLAIN_WRITE, .at = 0, .size = 8}, EARLY);
            early_does(&(struct op){.kind = PLAIN_WRITE, .at = 0, .size = 1}, EARLY_TOO);
            become(threads[FIRST]);
            perform(&(struct op){.kind = PLAIN_WRITE, .at = 4, .size = 4}, FIRST);
            others = make_plain_and_mix;
            more = run_all(&(struct op){.what = what, .kind = PLAIN_WRITE, .at = 0, .size = 1}, at, NEVER);
            if (told[FIRST] + told[OTHER] == 0)
                fail_msg("way %d, before operation %d: a race is not told", what, at);
            shadow_clear((uintptr_t)block, BYTES);
        }
    }
}

/* The second word is another object's, which begins now. */
static void begin_the_neighbour(void)
{
    world_clear((uintptr_t)block + 4, 4);
    perform(&(struct op){.kind = PLAIN_WRITE, .at = 4, .size = 4}, OTHER);
    release(OTHER);
    perform(&(struct op){.kind = PLAIN_WRITE, .at = 4, .size = 1}, OTHER);
}

static void a_neighbour_that_begins_anew_is_not_forgotten(void **state)
{
    (void)state;
    static const struct op before[] = {
        {.kind = PLAIN_WRITE, .at = 0, .size = 4}, {.kind = PLAIN_WRITE, .at = 0, .size = 8},
        {.kind = PLAIN_WRITE, .at = 6, .size = 1}, {.kind = PLAIN_READ, .at = 1, .size = 1}};
    for (size_t i = 0; i < array_length(before); i++)
        for (int at = 0, most = 1; most > 0; at++) {
            most = 0;
            for (bool more = true; more && most < WAITS; most++) {
                prepare(&befores[0], true);
                early_does(&before[i], EARLY);
                others = begin_the_neighbour;
                more = run_all(&(struct op){.kind = PLAIN_WRITE, .at = 1, .size = 1}, at, most);
                struct race_found found;
                if (told[FIRST] + told[OTHER] > 0)
                    fail_msg("%zu, before operations %d and %d: a race is told that is not there", i, at, most);
                release(FIRST);
                learn(KNOWS_FIRST, FIRST);
                for (unsigned byte = 4; byte < 8; byte++) {
                    shadow_check_write((uintptr_t)block + byte, 1, &threads[KNOWS_FIRST]->actor, &found);
                    if (found.conflict.earlier == 0)
                        fail_msg("%zu, before operations %d and %d: byte %u is forgotten", i, at, most, byte);
                }
                release(OTHER);
                learn(ALL, OTHER);
                learn(ALL, FIRST);
                __tsan_write_range((uintptr_t)block, BYTES);
                if (told[ALL] > 0)
                    fail_msg("%zu, before operations %d and %d: who knows all races", i, at, most);
                shadow_clear((uintptr_t)block, BYTES);
                if (!turns[0].interrupted)
                    most = -1;
            }
        }
}

int main(int count, char **argument)
{
    for (int i = 1; i + 1 < count; i += 2) {
        if (strcmp(argument[i], "--seed") == 0)
            seed = strtoull(argument[i + 1], NULL, 10);
        else if (strcmp(argument[i], "--pauses") == 0)
            pauses = (unsigned)strtoul(argument[i + 1], NULL, 10);
    }
    if (!shadow_map_init() || !start_host())
        return EXIT_FAILURE;
    shadow_init();
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_order_is_judged_right),
                                       cmocka_unit_test(a_pair_that_is_mixed_anew_is_looked_at_again),
                                       cmocka_unit_test(a_neighbour_that_begins_anew_is_not_forgotten)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
