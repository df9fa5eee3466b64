/* Simulated threads through the runtime: the compiler's entry points, struct threads that are created, end
 * and are joined, sync objects, atomic operations of all orders, fences. One step at a time in one real
 * thread, judged by the definition of a race (tests/support/schedule.h). Whatever is told must also be in the
 * history of who did it.
 *
 * Built five times: as it is; with 64 slots, so that they are used again all the time; with clocks of 5 bits,
 * so that they overflow all the time; with so little of both that the shadow is swept, slots are merged and
 * made more (runtime/slots.h) in most processes; and the last once more with vectors of readers
 * (shadow/readers.h) where sets would do. Runs in short-lived processes: what the
 * runtime gives back only at the end of a program is given back then.
 *
 *   shadow_live_test [--schedules N] [--seed S]
 *
 * And once more on the generic host (src/runtime/host/), where `--detector NAME` says which detector.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shadow/uniform.h"
#include "live_world.h"
#include "runtime/signals.h"

#ifndef SWEEPS
#define SWEEPS 0
#endif

#ifdef BYTE_PAGE_AFTER
enum { MOST_WITHOUT_PAGE = BYTE_PAGE_AFTER };
#else
enum { MOST_WITHOUT_PAGE = 24 };
#endif

/* --- running --- */

static uint64_t schedules = 30000, first_seed = 1;
static const char *program;

/* Shared by all processes. */
static struct board {
    uint64_t done, steps, racy;
    uint32_t swept, merged, widened, uniform, groups;
    char why[WHY_BYTES];
} * board;

static struct world world = {begin, step, settle, end, .base = 0, .parts = IN_PARTS, .renames = SWEEPS};

static bool right_on(const struct schedule *schedule)
{
    uint64_t races = 0;
    bool right = schedule_check(schedule, &world, board->why, &races);
    board->racy += races > 0;
    return right;
}

/* In a child: what crashes ends it. Cmocka would go on with the next test. */
static void crash_at_once(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    for (unsigned i = 0; i < array_length(signals); i++)
        signal(signals[i], SIG_DFL);
}

/* In a process of its own: whatever was left behind makes no difference. */
static bool wrong_on(const struct schedule *schedule)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        crash_at_once();
        _exit(right_on(schedule) ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status != 0;
}

static void make(struct schedule *schedule, uint64_t seed)
{
    schedule_make(schedule, &(struct schedule_options){.seed = seed, .runtime = true});
    in_first_page = seed & 4 ? 96 : 32;
    world.base = BASE;
}

/* A few schedules; fewer when slots become few. Exits with failure at the first on which the runtime is
 * wrong. */
static _Noreturn void work(void)
{
    enum { SCHEDULES_EACH = 20, MOST_SLOTS_A_SCHEDULE = 3 * MOST_THREADS };
    static struct schedule schedule;
    for (int i = 0; i < SCHEDULES_EACH && board->done < schedules; i++) {
        if (i > 0 && !world.renames && NARROW_CLOCK_BITS < 10 &&
            thread_slots + MOST_SLOTS_A_SCHEDULE > NARROW_SLOTS)
            break;
        make(&schedule, first_seed + board->done);
        if (!right_on(&schedule))
            _exit(EXIT_FAILURE);
        board->steps += schedule.count;
        board->done++;
    }
    uint32_t swept, merged, widened;
    pf_slots_counts(&swept, &merged, &widened);
    board->swept += swept;
    board->merged += merged;
    board->widened += widened;
    board->groups += bytes_live();
    board->uniform += uniform_count();
    _exit(EXIT_SUCCESS);
}

static void tell_failure(uint64_t seed, int status)
{
    static struct schedule schedule;
    printf("FAILED: seed %llu: %s (status %#x)\nrepeat with: %s --schedules 1 --seed %llu\n",
           (unsigned long long)seed, board->why, (unsigned)status, program, (unsigned long long)seed);
    make(&schedule, seed);
    if (wrong_on(&schedule)) {
        schedule_shrink(&schedule, wrong_on);
        wrong_on(&schedule);
        printf("shrunk:\n");
        schedule_print(&schedule, stdout);
        printf("%s\n", board->why);
    } else {
        printf("only after the schedules before it (from the last multiple of 20 on)\n");
        schedule_print(&schedule, stdout);
    }
}

static void schedules_are_judged_right(void **state)
{
    (void)state;
    while (board->done < schedules) {
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            crash_at_once();
            work();
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status != 0) {
            tell_failure(first_seed + board->done, status);
            fail();
        }
    }
    printf("%llu schedules from seed %llu, %llu steps, %llu racy\n", (unsigned long long)board->done,
           (unsigned long long)first_seed, (unsigned long long)board->steps, (unsigned long long)board->racy);
    printf("%u sweeps, slots merged %u times, made more %u times\n", board->swept, board->merged,
           board->widened);
    printf("%u accesses to whole chunks as one word; %u groups of cells for bytes\n", board->uniform,
           board->groups);
    if (SWEEPS && schedules > 1000) {
        assert_true(board->swept > schedules / 10);
        assert_true(board->merged > 0 && board->widened > 0);
    }
    if (schedules > 1000) {
        assert_in_range(board->racy * 100 / schedules, 10, 90);
        assert_true(CHUNK_BITS > 6 || board->uniform > schedules / 2);
        assert_true(MOST_WITHOUT_PAGE > 0 || board->groups > schedules / 20);
    }
}

/* Who uses the chunk of threads that have ended, by accessing another word of it first, races with them all
 * the same. */
static void the_dead_are_not_forgotten(void **state)
{
    (void)state;
    static const uint16_t sizes[] = {1, 2, 4, 8, 16};
    for (unsigned i = 0; i < array_length(sizes) << 4; i++) {
        uint8_t first = i & 1, second = i >> 1 & 1, third = i >> 2 & 1, way = i >> 3 & 1;
        uint16_t size = sizes[i >> 4];
        struct schedule s = {
            .threads = 1,
            .count = 10,
            .step = {{.op = STEP_FORK, .at = 1},
                     {.op = STEP_FORK, .at = 2},
                     {.thread = 1, .op = STEP_ACCESS, .kind = first, .way = way, .size = size},
                     {.thread = 1, .op = STEP_END},
                     {.thread = 2, .op = STEP_ACCESS, .kind = PLAIN_WRITE, .at = 20, .size = 4},
                     {.thread = 2, .op = STEP_ACCESS, .kind = second, .way = way, .size = size},
                     {.thread = 2, .op = STEP_END},
                     {.op = STEP_ACCESS, .kind = PLAIN_WRITE, .at = 24, .size = 4},
                     {.op = STEP_ACCESS, .kind = third, .way = way, .size = size},
                     {.op = STEP_ACCESS, .kind = PLAIN_WRITE, .way = way, .size = size}}};
        world.base = BASE;
        if (wrong_on(&s)) {
            schedule_print(&s, stdout);
            fail_msg("%s", board->why);
        }
    }
}

/* A thread goes over objects that another has made, two accesses at a time (runtime/fields.c), and a third one accesses a word
 * or two of one of them, before or after it. */
static void pairs_find_each_race(void **state)
{
    (void)state;
    enum { OBJECTS = 6, FROM = 32, END = FROM + 16 * OBJECTS };
    in_first_page = FROM;
    world.base = BASE;
    for (unsigned i = 0; i < (END - FROM) / 4 << 3; i++) {
        uint8_t kind = i & 1, other_kind = i >> 1 & 1;
        bool before = i >> 2 & 1;
        uint16_t word = (uint16_t)(i >> 3);
        struct step other = {.thread = 2,
                             .op = STEP_ACCESS,
                             .kind = other_kind,
                             .at = (uint16_t)(FROM + 4 * word),
                             .size = word % 2 == 0 && word % 8 < 4 ? 8 : 4};
        struct schedule s = {
            .threads = 1,
            .count = 3,
            .step = {{.op = STEP_ACCESS, .kind = PLAIN_WRITE, .at = FROM, .size = END - FROM},
                     {.op = STEP_FORK, .at = 1},
                     {.op = STEP_FORK, .at = 2}}};
        if (before)
            s.step[s.count++] = other;
        for (uint16_t at = FROM; at < END; at += 16)
            s.step[s.count++] = (struct step){.thread = 1,
                                              .op = STEP_LOOP,
                                              .kind = kind,
                                              .way = 3, /* as a pair */
                                              .at = at,
                                              .size = 8,
                                              .count = 2,
                                              .stride = 8};
        if (!before)
            s.step[s.count++] = other;
        if (wrong_on(&s)) {
            schedule_print(&s, stdout);
            fail_msg("%s", board->why);
        }
    }
}

static void add_step(struct schedule *s, unsigned thread, enum access_kind kind, unsigned at, unsigned size)
{
    s->step[s->count++] = (struct step){.thread = (uint8_t)thread,
                                        .op = STEP_ACCESS,
                                        .kind = (uint8_t)kind,
                                        .at = (uint16_t)at,
                                        .size = (uint16_t)size};
}

enum chunk_state { CHUNK_NOBODY, CHUNK_OWN, CHUNK_OTHER, CHUNK_FROZEN, CHUNK_SHARED, CHUNK_STATES };

/* Steps of threads 1 to 3 after which the chunk was used in this way. They access the word at
 * `at`; CHUNK_SHARED is a write `away` from there besides. */
static void prepare_chunk(struct schedule *s, enum chunk_state state, unsigned at, unsigned away)
{
    if (state == CHUNK_OWN || state == CHUNK_OTHER)
        add_step(s, state == CHUNK_OWN ? 1 : 2, PLAIN_WRITE, at, 4);
    for (unsigned reader = 2; state >= CHUNK_FROZEN && reader <= 3; reader++)
        add_step(s, reader, PLAIN_READ, at, 4);
    if (state == CHUNK_SHARED)
        add_step(s, 2, PLAIN_WRITE, away, 4);
}

/* The access is one of fields. */
static void as_row(struct step *s, unsigned shape)
{
    s->op = STEP_LOOP;
    s->way = 1;
    s->shape = (uint8_t)shape;
    s->count = 1;
}

/* ... of 8 bytes, and of 8 next to them. */
static void as_pair(struct step *s)
{
    s->op = STEP_LOOP;
    s->way = 3;
    s->size = 8;
    s->count = 2;
    s->stride = 8;
}

/* A thread accesses neighbouring fields by one call (runtime/fields.c), in a chunk of any kind, and another one a word
 * of them, before or after it. */
static void rows_find_each_race(void **state)
{
    (void)state;
    enum { FROM = 32, AWAY = 128, SHAPES = 3 };
    static const struct {
        uint8_t shape, size;
    } shapes[SHAPES] = {{1, 8}, {2, 16}, {4, 16}};
    world.base = BASE;
    for (unsigned i = 0; i < CHUNK_STATES * SHAPES << 6; i++) {
        unsigned shape = (i >> 6) % SHAPES, word = i >> 4 & 3;
        bool before = i & 1, made = i >> 1 & 1;
        uint8_t kind = i >> 2 & 1, other_kind = i >> 3 & 1;
        struct schedule s = {.threads = 1};
        if (word >= shapes[shape].size / 4)
            continue;
        if (made)
            add_step(&s, 0, PLAIN_WRITE, FROM, 16);
        for (uint16_t child = 1; child <= 3; child++)
            s.step[s.count++] = (struct step){.op = STEP_FORK, .at = child};
        prepare_chunk(&s, (i >> 6) / SHAPES, AWAY, AWAY + 32);
        if (before)
            add_step(&s, 2, other_kind, FROM + 4 * word, 4);
        add_step(&s, 1, kind, FROM, shapes[shape].size);
        as_row(&s.step[s.count - 1], shapes[shape].shape);
        if (!before)
            add_step(&s, 3, other_kind, FROM + 4 * word, 4);
        if (wrong_on(&s)) {
            schedule_print(&s, stdout);
            fail_msg("%s", board->why);
        }
    }
}

/* Parts of three words by one call: of those before and behind, the thread has accessed all in the same epoch. */
static void bytes_in_three_words_find_each_race(void **state)
{
    (void)state;
    enum { FROM = 32, SHAPE = 9, SIZE = 8 };
    world.base = BASE;
    for (unsigned i = 0; i < 16 * SIZE; i++) {
        unsigned into = 1 + (i >> 1) % 3, byte = i / 16;
        uint8_t kind = i & 1, other_kind = i >> 3 & 1;
        struct schedule s = {.threads = 1};
        for (uint16_t child = 1; child <= 2; child++)
            s.step[s.count++] = (struct step){.op = STEP_FORK, .at = child};
        add_step(&s, 1, kind, FROM, 4);
        add_step(&s, 1, kind, FROM + 8, 4);
        add_step(&s, 1, kind, FROM + into, SIZE);
        as_row(&s.step[s.count - 1], SHAPE);
        add_step(&s, 2, other_kind, FROM + into + byte, 1);
        if (wrong_on(&s)) {
            schedule_print(&s, stdout);
            fail_msg("%s", board->why);
        }
    }
}

/* A row, or a pair, of which the second half is in another chunk, where several threads have read
 * it. */
static void an_object_across_chunks_is_in_both(void **state)
{
    (void)state;
    enum { BORDER = 32, AWAY = 16, FROM = BORDER - 8 };
    in_first_page = BORDER;
    for (unsigned i = 0; i < 4; i++) {
        unsigned noted = BORDER + 4 * (i % 2);
        struct schedule s = {.threads = 1};
        add_step(&s, 0, PLAIN_WRITE, FROM, 16);
        for (uint16_t child = 1; child <= 3; child++)
            s.step[s.count++] = (struct step){.op = STEP_FORK, .at = child};
        add_step(&s, 2, PLAIN_READ, BORDER + AWAY, 4);
        add_step(&s, 3, PLAIN_READ, BORDER + AWAY, 4);
        add_step(&s, 3, PLAIN_READ, noted, 4);
        add_step(&s, 1, PLAIN_WRITE, BORDER - AWAY, 4);
        add_step(&s, 1, PLAIN_WRITE, FROM, 16);
        if (i < 2)
            as_row(&s.step[s.count - 1], 2);
        else
            as_pair(&s.step[s.count - 1]);
        world.base = BASE;
        if (wrong_on(&s)) {
            schedule_print(&s, stdout);
            fail_msg("%s", board->why);
        }
    }
}

/* An access with words in two chunks is right in both, whatever the two are. */
static void an_access_across_chunks_is_in_both(void **state)
{
    (void)state;
    enum { BORDER = 32, WAYS = 5 };
    static const uint8_t at[WAYS] = {BORDER - 4, BORDER - 12, BORDER - 8, BORDER - 4, BORDER - 8},
                         size[WAYS] = {8, 16, 16, 16, 16}, shape[WAYS] = {0, 0, 0, 0, 2};
    for (unsigned i = 0; i < CHUNK_STATES * CHUNK_STATES * WAYS * 4; i++) {
        unsigned way = i / 4 % WAYS, both = i / 4 / WAYS;
        struct schedule s = {.threads = 1};
        for (uint16_t child = 1; child <= 3; child++)
            s.step[s.count++] = (struct step){.op = STEP_FORK, .at = child};
        prepare_chunk(&s, both % CHUNK_STATES, BORDER - 4, 0);
        prepare_chunk(&s, both / CHUNK_STATES, BORDER, 2 * BORDER);
        for (unsigned thread = 1; thread <= 3; thread++) {
            add_step(&s, thread, thread == 3 ? PLAIN_WRITE : i / thread % 2, at[way], size[way]);
            if (shape[way] != 0)
                as_row(&s.step[s.count - 1], shape[way]);
        }
        world.base = BASE;
        if (wrong_on(&s)) {
            schedule_print(&s, stdout);
            fail_msg("%s", board->why);
        }
    }
}

/* Clearing is exact at both ends, also where whole groups of the shadow go back to the kernel. */
static void a_clear_ends_where_it_should(void **state)
{
    (void)state;
    static char big[64 * PAGE] __attribute__((aligned(PAGE)));
    static const struct {
        size_t from, size;
    } cleared[] = {{8, 4},
                   {4, 8 * PAGE - 8},
                   {PAGE, 8 * PAGE},
                   {PAGE - 4, 8 * PAGE + 8},
                   {PAGE + 4, 9 * PAGE},
                   {0, 16 * PAGE},
                   {36, 40 * PAGE + 4},
                   {PAGE + 2048, 20 * PAGE}};
    for (size_t i = 0; i < array_length(cleared); i++) {
        size_t from = cleared[i].from, to = from + cleared[i].size;
        begin(&(struct schedule){.threads = 1});
        fork_thread(threads[0], 1);
        become(threads[0]);
        __tsan_write_range((uintptr_t)big, sizeof big);
        shadow_clear((uintptr_t)big + from, to - from);
        become(threads[1]);
        for (size_t at = 0; at < sizeof big; at += 4) {
            __tsan_write4((uintptr_t)big + at);
            bool told = schedule_told_any();
            if (told != (at < from || at >= to))
                fail_msg("cleared [%zu, %zu): %s at %zu", from, to, told ? "a race" : "no race", at);
        }
        end(NULL);
        shadow_clear((uintptr_t)big, sizeof big);
    }
}

#ifndef PF_GENERIC
/* A thread whose writes are to be ignored leaves no trace of fields that it writes at once. */
static void fields_are_ignored(void **state)
{
    (void)state;
    static char page[PAGE] __attribute__((aligned(PAGE)));
    const uintptr_t at = (uintptr_t)page;
    begin(&(struct schedule){.threads = 1});
    fork_thread(threads[0], 1);
    become(threads[1]);
    __tsan_write4(at + 64); /* the chunk is its own */
    threads[1]->ignore_writes++;
    row(&(struct step){.kind = PLAIN_WRITE}, at, fields_of(&(struct step){.shape = 2, .size = 16}));
    pair(at + 16, true, at + 24, true);
    threads[1]->ignore_writes--;
    settle(1);
    become(threads[0]);
    __tsan_write_range(at, 32);
    assert_false(schedule_told_any());
    __tsan_write4(at + 64);
    assert_true(schedule_told_any());
    end(NULL);
    shadow_clear(at, sizeof page);
}

/* Called by thread_end(), which has the registry's lock, for a detached thread. */
static sigset_t blocked_at_end;

void host_gone(struct thread *t)
{
    (void)t;
    sigprocmask(SIG_BLOCK, NULL, &blocked_at_end);
}

static int handled;

static void handle(int number)
{
    (void)number;
    handled++;
}

/* A handler that forks would wait for that lock for ever. One that was put off runs before, and the thread's mask is what
 * the program has made it, in the end. */
static void no_signal_comes_while_a_thread_is_taken_off_the_list(void **state)
{
    (void)state;
    sigset_t before, after, none;
    sigemptyset(&none);
    for (int waits = 0; waits < 2; waits++) {
        begin(&(struct schedule){.threads = 1});
        fork_thread(threads[0], 1);
        thread_detach(threads[1]);
        sigemptyset(&blocked_at_end);
        handled = 0;
        signal(SIGUSR1, handle);
        sigprocmask(SIG_SETMASK, &none, &before);
        become(threads[1]);
        if (waits) { /* as signals_put_off() leaves it */
            siginfo_t info = {.si_signo = SIGUSR1, .si_code = SI_QUEUE};
            memcpy(threads[1]->put_off.info, &info, sizeof info);
            threads[1]->put_off.mask = 0;
            threads[1]->put_off.waits = true;
            signals_mask(SIG_BLOCK, SIGNALS_ASYNCHRONOUS);
        }
        thread_end(threads[1]);
        life[1] = JOINED;
        sigprocmask(SIG_SETMASK, &before, &after);
        assert_true(sigismember(&blocked_at_end, SIGUSR1) && sigismember(&blocked_at_end, SIGALRM));
        assert_false(sigismember(&blocked_at_end, SIGSEGV));
        assert_false(sigismember(&after, SIGUSR1) || sigismember(&after, SIGALRM));
        assert_int_equal(handled, waits);
        become(threads[0]);
        end(NULL);
    }
}
#endif

int main(int count, char **argument)
{
    (void)count;
    program = argument[0];
    for (char **a = argument + 1; a[0] != NULL && a[1] != NULL; a += 2) {
        if (strcmp(a[0], "--schedules") == 0)
            schedules = strtoull(a[1], NULL, 10);
        else if (strcmp(a[0], "--seed") == 0)
            first_seed = strtoull(a[1], NULL, 10);
        else if (strcmp(a[0], "--detector") == 0)
            detector = a[1];
    }
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED || !shadow_map_init() || !start_host())
        return EXIT_FAILURE;
    shadow_init();
    const struct CMUnitTest tests[] = {
        /* first: its processes begin with the slots that are in use here */
        cmocka_unit_test(schedules_are_judged_right),
        cmocka_unit_test(the_dead_are_not_forgotten),
        cmocka_unit_test(pairs_find_each_race),
        cmocka_unit_test(rows_find_each_race),
        cmocka_unit_test(bytes_in_three_words_find_each_race),
        cmocka_unit_test(an_object_across_chunks_is_in_both),
        cmocka_unit_test(an_access_across_chunks_is_in_both),
        cmocka_unit_test(a_clear_ends_where_it_should),
#ifndef PF_GENERIC
        cmocka_unit_test(fields_are_ignored),
        cmocka_unit_test(no_signal_comes_while_a_thread_is_taken_off_the_list),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
