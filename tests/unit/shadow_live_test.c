/* Simulated threads through the runtime: the compiler's entry points, struct threads that are created, end
 * and are joined, sync objects, atomic operations of all orders, fences. One step at a time in one real
 * thread, judged by the definition of a race (tests/support/schedule.h). Whatever is told must also be in the
 * history of who did it.
 *
 * Built five times: as it is; with 64 slots, so that they are used again all the time; with clocks of 5 bits,
 * so that they overflow all the time; with so little of both that the shadow is swept, slots are merged and
 * made more (runtime/slots.h) in most processes; and the last once more with tables and vectors of readers
 * (shadow/byte_readers.h, shadow/readers.h) where sets would do. Runs in short-lived processes: what the
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
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/annotations.h"
#include "runtime/atomic_sync.h"
#include "runtime/gather.h"
#include "runtime/history.h"
#include "runtime/init.h"
#include "runtime/intercept/barrier.h"
#include "runtime/options.h"
#include "runtime/stack.h"
#include "runtime/intercept/real.h"
#include "runtime/intercept/lock.h"
#include "runtime/intercept/start.h"
#include "runtime/report.h"
#include "runtime/slots.h"
#include "runtime/world.h"
#include "shadow/unshare.h"
#include "entry_points.h"

#ifndef SWEEPS
#define SWEEPS 0
#endif

enum { PAGE = 4096 };

static char memory[4 * PAGE] __attribute__((aligned(PAGE)));
static char locks[PAGE] __attribute__((aligned(PAGE)));
static size_t in_first_page = 32; /* so that there are two chunks (shadow/owner.h) */
#define BASE ((uintptr_t)memory + PAGE - in_first_page)

static struct thread *threads[MOST_THREADS];
static enum { UNBORN, LIVE, ENDED, JOINED } life[MOST_THREADS];
static bool told_at_end, ending;
static bool inside;           /* of the schedule */
static bool at_once;          /* pending accesses (runtime/access.h) are checked after every step */
static uint64_t untold_sites; /* races of which the earlier access was not in its thread's history */

/* --- epochs ---
 *
 * The epoch that a step is made in, and that of the earlier access of a race. On the generic host, where
 * places are known for ever, each step is made in a call of its own and is its own epoch. */

void __tsan_func_entry(void *pc);
void __tsan_func_exit(void);

#ifdef PF_GENERIC
enum { IN_PARTS = false };

static uint32_t step_number;
static const char *detector = "vc";

static uint32_t epoch_begins(void)
{
    __tsan_func_entry((void *)(uintptr_t)++step_number);
    return step_number;
}

static void epoch_ends(void)
{
    if (thread_self->inside == 0)
        __tsan_func_exit();
}

static uint32_t epoch_told(const struct race_found *found, const struct access_site *site)
{
    uintptr_t call = 0;
    (void)found;
    stack_unwind(site->node, &call, 1);
    return (uint32_t)call;
}

static bool start_host(void)
{
    return host_choose(detector);
}
#else
enum { IN_PARTS = true };
static const char *detector;

static uint32_t epoch_begins(void)
{
    return thread_self->actor.now;
}

static void epoch_ends(void)
{
}

static uint32_t epoch_told(const struct race_found *found, const struct access_site *site)
{
    (void)site;
    return found->conflict.earlier;
}

static bool start_host(void)
{
    return detector == NULL;
}
#endif

/* --- what the runtime needs around it --- */

void report_race(struct thread *t, const struct race_access_live *current, const struct race_found *found)
{
    unsigned thread = MOST_THREADS - 1;
    while (threads[thread] != t) /* which may have been another's that is forgotten */
        thread--;
    struct access_site site = {0};
    const struct thread *earlier;
    bool known = access_earlier(found, &earlier, &site);
    struct conflict conflict = {epoch_told(found, &site), found->conflict.kind};
    told_at_end |= ending;
    schedule_told(
        &(struct told){thread, current->address, current->size, current->kind, found->address, conflict});
    untold_sites += !known || earlier == NULL || found->address - site.address >= site.size;
}

bool lock_last_use(uintptr_t lock, uint32_t half, struct access_site *site)
{
    (void)lock, (void)half, (void)site;
    return false;
}

bool annotations_benign(uintptr_t address)
{
    (void)address;
    return false;
}

void annotations_forget(uintptr_t address, size_t size)
{
    (void)address;
    (void)size;
}

void runtime_start(void)
{
}

void start_adopted(struct thread *t)
{
    (void)t;
}

void barrier_each_mailbox(void (*visit)(struct mailbox *m))
{
    (void)visit;
}

void *real_find_slow(struct real *entry)
{
    return strcmp(entry->name, "memset") == 0   ? (void *)memset
           : strcmp(entry->name, "memcpy") == 0 ? (void *)memcpy
                                                : (void *)memmove;
}

/* --- the world --- */

/* In a function, as everything in a program is. */
static void become(struct thread *t)
{
    thread_self = t;
    thread_now = t->actor.now;
    if (t->top == t->stack)
        __tsan_func_entry((void *)(uintptr_t)&become);
}

static void begin(const struct schedule *s)
{
    for (size_t n = 0; n < s->count; n++)
        atomic_fences_exist |= s->step[n].op == STEP_FENCE; /* the program says so when it is loaded */
    memset(threads, 0, sizeof threads);
    memset(life, 0, sizeof life);
    inside = s->inside;
    threads[0] = thread_current();
    life[0] = LIVE;
    untold_sites = 0;
    told_at_end = ending = false;
}

static void settle(unsigned thread)
{
    become(threads[thread]);
    access_flush(threads[thread]);
}

/* Where a sync object lives. */
static uintptr_t object_at(uint16_t object)
{
    if (object >= MOST_OBJECTS)
        return BASE + VARIABLES + 16u * (object - MOST_OBJECTS);
    return (inside ? BASE : (uintptr_t)locks) + (uintptr_t)OBJECT_STRIDE * object;
}

static void fork_thread(struct thread *t, unsigned child)
{
    threads[child] = thread_prepare(t, (uintptr_t)&fork_thread);
    thread_started(threads[child], (uintptr_t)threads[child]);
    thread_begin(threads[child]);
    become(t);
    life[child] = LIVE;
}

static uint32_t step(const struct step *s)
{
    struct thread *t = threads[s->thread];
    uintptr_t object = object_at(s->at);
    become(t);
    world_enter(t); /* it may need a slot first */
    world_leave(t);
    uint32_t now = epoch_begins();
    if (s->op != STEP_ACCESS)
        thread_current(); /* as interceptors do */
    switch ((enum step_op)s->op) {
    case STEP_ACCESS:
        entry_plain(s, BASE + s->at);
        break;
    case STEP_ATOMIC:
        entry_atomic(s, (void *)(BASE + s->at));
        break;
    case STEP_FENCE:
        __tsan_atomic_thread_fence(s->order);
        break;
    case STEP_CLEAR:
        shadow_clear(BASE + s->at, s->size);
        break;
    case STEP_ACQUIRE:
        sync_acquire(t, object);
        break;
    case STEP_RELEASE:
        sync_release(t, object);
        break;
    case STEP_PUBLISH:
        sync_publish(t, object);
        break;
    case STEP_PUBLISH_READER:
        sync_publish_reader(t, object);
        break;
    case STEP_ACQUIRE_EXCLUSIVE:
        sync_acquire_exclusive(t, object);
        break;
    case STEP_ACQUIRE_ALL:
        sync_acquire_all(t, object);
        break;
    case STEP_FORGET:
        sync_destroy(object);
        break;
    case STEP_FORK:
        fork_thread(t, s->at);
        break;
    case STEP_END:
        thread_end(t);
        life[s->thread] = ENDED;
        break;
    case STEP_JOIN:
        thread_joined(t, threads[s->at]);
        life[s->at] = JOINED;
        break;
    default:
        abort();
    }
    if (at_once)
        access_flush(t);
    epoch_ends();
    return now;
}

/* The first thread, which has joined all others, may write everything. */
static const char *end(const struct schedule *s)
{
    (void)s;
    struct thread *t = threads[0];
    for (size_t i = 1; i < MOST_THREADS; i++) {
        if (life[i] == LIVE) {
            settle((unsigned)i);
            thread_end(threads[i]);
        }
        if (life[i] == LIVE || life[i] == ENDED)
            thread_joined(t, threads[i]);
    }
    settle(0);
    ending = true;
    __tsan_write_range(BASE, MOST_BYTES);
    const char *wrong = NULL;
    if (told_at_end)
        wrong = "who has joined everybody races with somebody";
    else if (untold_sites > 0)
        wrong = "the earlier access of a race is not in the history";
    shadow_clear(BASE, MOST_BYTES);
    shadow_clear((uintptr_t)scratch, sizeof scratch);
    owner_forget((uintptr_t)memory, sizeof memory);
    owner_forget((uintptr_t)locks, sizeof locks);
    return wrong;
}

/* --- running --- */

static uint64_t schedules = 30000, first_seed = 1;
static const char *program;

/* Shared by all processes. */
static struct board {
    uint64_t done, steps, racy;
    uint32_t swept, merged, widened, leased_again;
    char why[WHY_BYTES];
} * board;

static struct world world = {begin, step, settle, end, .base = 0, .parts = IN_PARTS, .renames = SWEEPS};

static bool right_on(const struct schedule *schedule)
{
    uint64_t races = 0;
    at_once = !world.late;
    bool right = schedule_check(schedule, &world, board->why, &races);
    board->racy += races > 0;
    return right;
}

/* In a process of its own: whatever was left behind makes no difference. */
static bool wrong_on(const struct schedule *schedule)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(right_on(schedule) ? EXIT_SUCCESS : EXIT_FAILURE);
    int status = -1;
    waitpid(child, &status, 0);
    return status != 0;
}

static void make(struct schedule *schedule, uint64_t seed)
{
    schedule_make(schedule, &(struct schedule_options){.seed = seed, .runtime = true});
    in_first_page = seed & 4 ? 96 : 32;
    world.base = BASE;
    world.late = seed % 2 != 0;
    owner_shortest_stay = seed & 2 ? 0 : 4; /* 0: chunks are handed over, never shared */
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
    board->leased_again += unshare_count();
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
        if (child == 0)
            work();
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status != 0) {
            tell_failure(first_seed + board->done, status);
            fail();
        }
    }
    printf("%llu schedules from seed %llu, %llu steps, %llu racy\n", (unsigned long long)board->done,
           (unsigned long long)first_seed, (unsigned long long)board->steps, (unsigned long long)board->racy);
    printf("%u sweeps, slots merged %u times, made more %u times; shared chunks leased again %u times\n",
           board->swept, board->merged, board->widened, board->leased_again);
    if (SWEEPS && schedules > 1000) {
        assert_true(board->swept > schedules / 10);
        assert_true(board->merged > 0 && board->widened > 0);
    }
    if (schedules > 1000) {
        assert_in_range(board->racy * 100 / schedules, 10, 90);
        assert_true(!IN_PARTS || board->leased_again > schedules / 10);
    }
}

/* Who takes over the chunk of threads that have ended (shadow/owner.h), by accessing another word of it
 * first, races with them all the same. */
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
        world.late = false;
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

/* Steps of threads 1 to 3 after which the chunk (shadow/owner.h) is in this state. They access the word at
 * `at`, and the chunk becomes shared by a write `away` from there. */
static void prepare_chunk(struct schedule *s, enum chunk_state state, unsigned at, unsigned away)
{
    if (state == CHUNK_OWN || state == CHUNK_OTHER)
        add_step(s, state == CHUNK_OWN ? 1 : 2, PLAIN_WRITE, at, 4);
    for (unsigned reader = 2; state >= CHUNK_FROZEN && reader <= 3; reader++)
        add_step(s, reader, PLAIN_READ, at, 4);
    if (state == CHUNK_SHARED)
        add_step(s, 2, PLAIN_WRITE, away, 4);
}

/* An access with words in two chunks is right in both, whatever the two are. */
static void an_access_across_chunks_is_in_both(void **state)
{
    (void)state;
    enum { BORDER = 32, WAYS = 4 };
    static const uint8_t at[WAYS] = {BORDER - 4, BORDER - 12, BORDER - 8, BORDER - 4},
                         size[WAYS] = {8, 16, 16, 16};
    for (unsigned i = 0; i < CHUNK_STATES * CHUNK_STATES * WAYS * 4; i++) {
        unsigned way = i / 4 % WAYS, both = i / 4 / WAYS;
        struct schedule s = {.threads = 1};
        for (uint16_t child = 1; child <= 3; child++)
            s.step[s.count++] = (struct step){.op = STEP_FORK, .at = child};
        prepare_chunk(&s, both % CHUNK_STATES, BORDER - 4, 0);
        prepare_chunk(&s, both / CHUNK_STATES, BORDER, 2 * BORDER);
        add_step(&s, 1, i % 2, at[way], size[way]);
        add_step(&s, 2, i / 2 % 2, at[way], size[way]);
        add_step(&s, 3, PLAIN_WRITE, at[way], size[way]);
        world.base = BASE;
        world.late = false;
        if (wrong_on(&s)) {
            schedule_print(&s, stdout);
            fail_msg("%s", board->why);
        }
    }
}

/* Clearing is exact at both ends, also where whole pages of the shadow go back to the kernel. */
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
            access_flush(threads[1]);
            bool told = schedule_told_any();
            if (told != (at < from || at >= to))
                fail_msg("cleared [%zu, %zu): %s at %zu", from, to, told ? "a race" : "no race", at);
        }
        end(NULL);
        shadow_clear((uintptr_t)big, sizeof big);
        owner_forget((uintptr_t)big, sizeof big);
    }
}

#ifndef PF_GENERIC
/* A shared chunk where bytes wait is not leased (shadow/unshare.h): who gives the memory out again does not look
 * for them in a lease that is over. */
static void bytes_that_wait_keep_their_chunk_shared(void **state)
{
    (void)state;
    static char page[PAGE] __attribute__((aligned(PAGE)));
    const uintptr_t at = (uintptr_t)page;
    owner_shortest_stay = 0;
    begin(&(struct schedule){.threads = 1});
    fork_thread(threads[0], 1);
    become(threads[1]);
    __tsan_write1(at); /* from now on its bytes may wait */
    access_flush(threads[1]);
    owner_take(at, 1);
    __tsan_write1(at + 8);
    for (unsigned i = 0; i < 2; i++, settle(1)) {
        become(threads[0]);
        for (unsigned times = 0; times < 2; times++) /* the second check does what the first one asks for */
            __tsan_write_range(at + 1024 * (2 * i + times + 1) - 512, 512);
        assert_int_equal(owner_table[owner_chunk(at)] == OWNER_SHARED, i == 0);
    }
    assert_false(schedule_told_any());
    end(NULL);
    owner_forget(at, sizeof page);
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
    owner_init();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_dead_are_not_forgotten), cmocka_unit_test(an_access_across_chunks_is_in_both),
        cmocka_unit_test(a_clear_ends_where_it_should),
#ifndef PF_GENERIC
        cmocka_unit_test(bytes_that_wait_keep_their_chunk_shared),
#endif
        cmocka_unit_test(schedules_are_judged_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
