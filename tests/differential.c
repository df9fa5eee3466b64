/* Every precise detector against the definition of a race, on random traces.
 *
 * For each seed: random generator options, a trace of at most 400 events, sometimes mutilated (events
 * dropped, changed, turned into notes; in an open world also forks, so that threads appear out of nothing),
 * fed in blocks of random size, as a closed and as an open world. Each answer is compared with
 * tests/support/judge.h. Metamorphic check: neighbouring events that do not depend on each other are swapped
 * many times; the set of racy variables must stay the same.
 *
 * Seeds are shared out over worker processes. A worker that dies (a failed assertion, a sanitizer) is a
 * failure of the seed that it was at. A failure prints the command that repeats it and the smallest trace
 * found.
 */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test_detectors.h"
#include "support/trial.h"
#include "trace/generate.h"

enum { MOST_WORKERS = 64, MOST_DETECTORS = 32, LONGEST = 400 };

struct options {
    uint64_t traces, seed, jobs;
    bool forever;
    const char *detector; /* NULL: all precise ones */
};

/* Shared by all processes. */
struct board {
    _Atomic uint64_t done, racy, events;
    _Atomic bool failed;
    struct {
        _Atomic uint64_t seed; /* that the worker is at */
        char padding[56];
    } worker[MOST_WORKERS];
};

static struct options options = {.traces = 20000, .seed = 1};
static struct board *board;
static const struct detector *tested[MOST_DETECTORS];
static size_t tested_count;

/* --- random numbers: splitmix64 --- */

static uint64_t state;

static uint32_t below(uint32_t bound)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (uint32_t)((z >> 32) * bound >> 32);
}

static bool chance(uint32_t percent)
{
    return below(100) < percent;
}

static uint32_t one_of(const uint32_t *choice, size_t count)
{
    return choice[below((uint32_t)count)];
}

#define ONE_OF(...) one_of((const uint32_t[]){__VA_ARGS__}, array_length(((const uint32_t[]){__VA_ARGS__})))

/* --- making a trace --- */

static struct generate_options random_options(uint64_t seed)
{
    struct generate_options o = {
        .seed = seed,
        .threads = 2 + below(11),
        .locks = ONE_OF(0, 1, 1, 2, 3, 5, 8),
        .vars = ONE_OF(1, 1, 2, 3, 5, 8, 12, 24),
        .events = 10 + below(chance(50) ? 90 : LONGEST - 9),
        .volatiles = ONE_OF(0, 0, 1, 2, 4),
        .barriers = ONE_OF(0, 0, 1, 2, 3),
        .live = ONE_OF(0, 0, 2, 3, 5),
        .discipline = ONE_OF(0, 50, 80, 80, 90, 95, 98, 99, 100, 100),
        .sharing = ONE_OF(0, 20, 60, 80, 100),
        .writes = ONE_OF(2, 10, 40, 70, 100),
        .repeat = ONE_OF(0, 30, 60),
        .readers = ONE_OF(0, 20, 50, 90, 100),
        .reentrant = ONE_OF(0, 10, 50),
        .sync = ONE_OF(5, 25, 25, 50, 90),
        .allocs = ONE_OF(0, 0, 2, 10, 30),
        .joins = ONE_OF(0, 50, 100),
        .switches = ONE_OF(5, 30, 50, 100),
    };
    if (chance(25)) { /* threads come and go and clocks run up: slots are used again */
        o.events = LONGEST - below(100);
        o.threads = 12;
        o.live = 2 + below(3);
        o.joins = 100;
        o.sync = 50 + below(40);
        o.discipline = ONE_OF(95, 99, 100);
    }
    struct problem problem;
    if (!generate_check(&o, &problem))
        tool_failed("generator option: %s", problem.reason);
    return o;
}

static void generate(const struct generate_options *o, struct trial *trial)
{
    struct names names;
    names_init(&names);
    struct generator *generator = generator_new(o, &names);
    trial->count = 0;
    for (size_t got = 1; got > 0; trial->count += got)
        got = generator_next(generator, trial->event + trial->count,
                             min_size(1 + below(200), JUDGE_MOST - trial->count));
    generator_free(generator);
    names_free(&names);
    require(trial->count == o->events);
}

/* Takes out of the trace what is not feasible, one event at a time. */
static void repair(struct trial *trial)
{
    size_t good;
    while (!trial_feasible(trial, &good, NULL))
        memmove(trial->event + good, trial->event + good + 1, (--trial->count - good) * sizeof(struct event));
}

static void mutilate(struct trial *trial)
{
    static const uint8_t note[] = {OP_BEGIN, OP_END, OP_DUMMY};
    uint32_t percent = ONE_OF(1, 3, 10, 30);
    size_t kept = 0;
    for (size_t i = 0; i < trial->count; i++) {
        struct event e = trial->event[i];
        bool cut_fork = e.op == OP_FORK && !trial->closed && chance(50);
        uint32_t what = cut_fork || chance(percent) ? below(10) : 10;
        if (cut_fork || what < 5)
            continue;
        if (what < 7)
            e = (struct event){.thread = e.thread, .target = NO_TARGET, .op = note[below(3)]};
        else if (what < 8 && op_is_access(e.op))
            e.op = e.op == OP_READ ? OP_WRITE : OP_READ;
        else if (what < 10 && op_operand[e.op] != NAME_THREAD)
            e.target = below(e.target + 2);
        trial->event[kept++] = e;
    }
    trial->count = kept;
    repair(trial);
}

/* --- the metamorphic step --- */

static bool names_thread(const struct event *e, uint32_t thread)
{
    return op_operand[e->op] == NAME_THREAD && e->target == thread;
}

/* May two neighbours change places? Conflicting data accesses may: they are unordered either way. */
static bool independent(const struct event *a, const struct event *b)
{
    if (a->thread == b->thread || names_thread(a, b->thread) || names_thread(b, a->thread))
        return false;
    if (op_operand[a->op] != op_operand[b->op] || a->target != b->target)
        return true;
    return (op_is_access(a->op) && op_is_access(b->op)) || a->target == NO_TARGET;
}

static void permute(struct trial *trial)
{
    for (size_t i = 0; trial->count > 1 && i < 6 * trial->count; i++) {
        struct event *pair = &trial->event[below((uint32_t)trial->count - 1)];
        if (independent(&pair[0], &pair[1])) {
            struct event first = pair[0];
            pair[0] = pair[1];
            pair[1] = first;
        }
    }
}

/* --- failing --- */

/* True for the one process that may report. */
static bool first_failure(void)
{
    return !atomic_exchange(&board->failed, true);
}

static void print_replay(uint64_t seed)
{
    printf("repeat with: differential --traces 1 --seed %llu", (unsigned long long)seed);
    if (options.detector != NULL)
        printf(" --detector %s", options.detector);
    printf("\n");
}

static void fail(uint64_t seed, const struct detector *detector, const char *what, const struct trial *trial,
                 bool shrink)
{
    if (!first_failure())
        return;
    struct trial small = *trial;
    printf("FAILED: seed %llu: %s: %s\n", (unsigned long long)seed, detector->name, what);
    print_replay(seed);
    fflush(stdout);
    if (shrink)
        trial_shrink(&small, detector);
    printf("%s, %zu events:\n", shrink ? "shrunk" : "trace", small.count);
    trial_print(&small, detector, stdout);
    fflush(stdout);
}

/* --- checking --- */

static bool check_detector(uint64_t seed, const struct trial *trial, const struct judge *judge,
                           const struct detector *detector)
{
    struct answer answer;
    struct verdict verdict;
    trial_run(trial, detector, &answer);
    trial_compare(judge, &answer, &verdict);
    if (verdict.line[0] == 0)
        return true;
    fail(seed, detector, verdict.line, trial, true);
    return false;
}

static bool check_all(uint64_t seed, const struct trial *trial, const struct judge *judge)
{
    for (size_t i = 0; i < tested_count; i++)
        if (!check_detector(seed, trial, judge, tested[i]))
            return false;
    return true;
}

static bool same_racy_set(const struct judge *a, const struct judge *b)
{
    for (uint32_t variable = 0; variable < JUDGE_MOST; variable++)
        if ((a->first[variable] != 0) != (b->first[variable] != 0))
            return false;
    return true;
}

/* After check_all on both, "the detector's racy set did not change" is "the judge's did not". */
static bool check_permuted(uint64_t seed, const struct trial *trial, const struct judge *judge)
{
    static struct judge after;
    struct trial moved = *trial;
    size_t good;
    permute(&moved);
    judge_trace(&after, moved.event, moved.count);
    if (!trial_feasible(&moved, &good, stdout) || !same_racy_set(judge, &after)) {
        fail(seed, &detector_oracle, "swapping independent neighbours changed the trace's meaning", &moved,
             false);
        return false;
    }
    return check_all(seed, &moved, &after);
}

static bool check_seed(uint64_t seed)
{
    static struct trial trial;
    static struct judge judge;
    state = seed;
    struct generate_options o = random_options(seed);
    trial.closed = chance(70);
    trial.count_rules = chance(50);
    trial.names_grow = chance(25);
    trial.block = (size_t)1 << below(10);
    generate(&o, &trial);
    size_t good;
    if (!trial_feasible(&trial, &good, stdout)) {
        fail(seed, &detector_nop, "the generator made an infeasible trace", &trial, false);
        return false;
    }
    bool as_made = chance(60);
    if (!as_made)
        mutilate(&trial);
    judge_trace(&judge, trial.event, trial.count);
    if (as_made && o.discipline == 100 && judge.racy > 0) {
        fail(seed, &detector_nop, "a disciplined trace has a race", &trial, false);
        return false;
    }
    board->racy += judge.racy > 0;
    board->events += trial.count;
    if (!check_all(seed, &trial, &judge) || !check_permuted(seed, &trial, &judge))
        return false;
    if (!trial.closed)
        return true;
    trial.closed = false; /* what is feasible in a closed world is so in an open one */
    return check_all(seed, &trial, &judge);
}

/* --- processes --- */

static void show_progress(uint64_t done)
{
    if (options.forever && done % 10000 == 0)
        printf("%llu traces passed, %llu racy, next seed about %llu\n", (unsigned long long)done,
               (unsigned long long)board->racy, (unsigned long long)(options.seed + done));
    else if (done % 500 == 0 && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%llu traces", (unsigned long long)done);
    fflush(stdout);
}

static int work(uint64_t worker)
{
    for (uint64_t i = worker; (options.forever || i < options.traces) && !board->failed; i += options.jobs) {
        board->worker[worker].seed = options.seed + i;
        if (!check_seed(options.seed + i))
            return EXIT_FAILURE;
        show_progress(++board->done);
    }
    return EXIT_SUCCESS;
}

/* Waits for one worker; one that died by itself has failed at its seed. */
static void reap(pid_t *pid)
{
    int status;
    pid_t ended = wait(&status);
    uint64_t worker = 0;
    while (worker < options.jobs && pid[worker] != ended)
        worker++;
    if (worker == options.jobs || (WIFEXITED(status) && WEXITSTATUS(status) <= EXIT_FAILURE))
        return;
    if (!first_failure())
        return;
    uint64_t seed = board->worker[worker].seed;
    printf("FAILED: seed %llu: the process died (%s %d)\n", (unsigned long long)seed,
           WIFSIGNALED(status) ? "signal" : "status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    print_replay(seed);
}

static void run_workers(void)
{
    pid_t pid[MOST_WORKERS];
    fflush(NULL);
    for (uint64_t worker = 0; worker < options.jobs; worker++) {
        pid[worker] = fork();
        if (pid[worker] < 0)
            tool_failed("cannot start a process: %s", strerror(errno));
        if (pid[worker] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGTERM); /* no worker outlives a test that was stopped */
            exit(work(worker));
        }
    }
    for (uint64_t worker = 0; worker < options.jobs; worker++)
        reap(pid);
}

/* --- command line --- */

static void choose_detectors(void)
{
    for (size_t i = 0; detectors[i] != NULL; i++)
        tested[tested_count++] = detectors[i];
    for (size_t i = 0; test_detectors[i] != NULL; i++)
        tested[tested_count++] = test_detectors[i];
    require(tested_count <= MOST_DETECTORS);
    size_t kept = 0;
    for (size_t i = 0; i < tested_count; i++)
        if (options.detector != NULL ? strcmp(tested[i]->name, options.detector) == 0 : tested[i]->precise)
            tested[kept++] = tested[i];
    tested_count = kept;
    if (kept == 0) {
        fprintf(stderr, "differential: no detector is called %s\n", options.detector);
        exit(2);
    }
}

static uint64_t number(const char *text)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = text != NULL ? strtoull(text, &end, 10) : 0;
    if (end == NULL || end == text || *end != 0 || errno != 0) {
        fprintf(stderr, "differential: expected a number, not %s\n", text != NULL ? text : "nothing");
        exit(2);
    }
    return value;
}

static void read_options(char **arg)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    options.jobs = cores > 0 ? (uint64_t)cores : 1;
    for (; *arg != NULL; arg++) {
        if (strcmp(*arg, "--forever") == 0)
            options.forever = true;
        else if (strcmp(*arg, "--traces") == 0)
            options.traces = number(*++arg);
        else if (strcmp(*arg, "--seed") == 0)
            options.seed = number(*++arg);
        else if (strcmp(*arg, "--jobs") == 0)
            options.jobs = number(*++arg);
        else if (strcmp(*arg, "--detector") == 0 && arg[1] != NULL)
            options.detector = *++arg;
        else {
            fprintf(stderr, "usage: differential [--traces N] [--seed S] [--forever] [--detector NAME] "
                            "[--jobs N]\n");
            exit(2);
        }
    }
    if (options.jobs < 1 || options.jobs > MOST_WORKERS)
        options.jobs = options.jobs < 1 ? 1 : MOST_WORKERS;
}

int main(int count, char **arg)
{
    (void)count;
    read_options(arg + 1);
    choose_detectors();
    mallopt(M_MMAP_THRESHOLD, 64 << 20); /* millions of short lives: keep their memory, not map it anew */
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED)
        tool_failed("no memory");
    printf("detectors:");
    for (size_t i = 0; i < tested_count; i++)
        printf(" %s", tested[i]->name);
    printf("\n");
    run_workers();
    uint64_t done = board->done;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r");
    printf("%llu traces, %llu events, %llu racy (%.0f%%)\n", (unsigned long long)done,
           (unsigned long long)board->events, (unsigned long long)board->racy,
           done > 0 ? 100.0 * (double)board->racy / (double)done : 0.0);
    printf("%llu passed, %d failed\n", (unsigned long long)done, board->failed ? 1 : 0);
    return board->failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
