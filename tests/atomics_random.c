/* Random programs of atomic and plain accesses and fences: the runtime's verdict against the definition.
 *
 *   atomics_random [--recorded PHOTOFINISH] [FIRST_SEED [COUNT]]
 *       prints each seed whose verdict is wrong, and its schedule; --recorded: the verdict is that of `analyze`, on what
 *       `record` has kept of the execution
 *   atomics_random --execute SEED
 *       what is recorded then
 *
 * A schedule is a sequence of steps of 2 to 4 threads. A child process executes it: real threads, one step at
 * a time in an order that the runtime cannot see, through the compiler's entry points. Here, the same steps
 * become a graph after C++20's definitions (sequenced before, release sequences, fences), whose transitive
 * closure is happens-before; a race is a pair of conflicting accesses that it does not order. The two must
 * agree on whether there is one.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_THREADS = 4, MOST_STEPS = 40, EXIT_RACE = 66 };

/* --- what the runtime tells --- */

const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "report_bugs=0"; /* that there is a race is enough: no process is started to print it */
}

static bool told;

/* The runtime calls this from inside (src/runtime/report.h). */
void pf_on_race(const void *access, size_t size, const void *byte);
void pf_on_race(const void *access, size_t size, const void *byte)
{
    (void)access;
    (void)size;
    (void)byte;
    __atomic_store_n(&told, true, __ATOMIC_RELAXED);
}

/* --- memory: variables that share words, halves of words, and wide ones --- */

static _Alignas(64) char memory[64];

enum { ATOMICS = 7, PLAINS = 2, PARTS = 5 };
static const struct {
    int offset, size;
} variable[] = {
    {0, 4},  {4, 4},  {8, 8},  {16, 1}, {17, 1}, {18, 2}, {32, 16}, /* atomic */
    {48, 4}, {52, 8},                                               /* plain */
    {1, 1},  {10, 4}, {15, 1}, {16, 4}, {47, 1},                    /* parts of the atomic ones: plain */
};

enum operation { PLAIN_READ, PLAIN_WRITE, LOAD, STORE, MODIFY, FAILED_EXCHANGE, FENCE };
static const char *const operation_name[] = {"read",   "write",           "load", "store",
                                             "modify", "failed exchange", "fence"};

enum { RELAXED, CONSUME, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST };
static const char *const order_name[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};

struct step {
    int thread, operation, variable, order;
};

static struct step schedule[MOST_STEPS];
static int steps, threads;

/* --- the generator --- */

static uint64_t state;

static unsigned below(unsigned n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((state >> 33) % n);
}

static int order_for(int operation)
{
    static const int loads[] = {RELAXED, RELAXED, ACQUIRE, ACQUIRE, SEQ_CST, CONSUME};
    static const int stores[] = {RELAXED, RELAXED, RELEASE, RELEASE, RELEASE, SEQ_CST};
    switch (operation) {
    case LOAD:
    case FAILED_EXCHANGE:
        return loads[below(6)];
    case STORE:
        return stores[below(6)];
    case FENCE:
        return ACQUIRE + (int)below(4);
    default:
        return (int)below(6);
    }
}

/* A thread other than this one. */
static int other_thread(int thread)
{
    return (thread + 1 + (int)below((unsigned)threads - 1)) % threads;
}

static bool variables_overlap(int x, int y)
{
    return variable[x].offset < variable[y].offset + variable[y].size &&
           variable[y].offset < variable[x].offset + variable[x].size;
}

/* Everything is atomic but one early write and one late access of another thread: whether they race depends
 * on all that is between them. */
static void two_plain_accesses(void)
{
    struct step *early = &schedule[below((unsigned)steps / 3)];
    struct step *late = &schedule[steps - 1 - (int)below((unsigned)steps / 4)];
    int meet = ATOMICS + (int)below(PLAINS);
    *early = (struct step){early->thread, PLAIN_WRITE, meet, 0};
    *late = (struct step){other_thread(early->thread), (int)below(2), meet, 0};
}

/* Everything is atomic but a few accesses to parts of an atomic variable. */
static void plain_parts(int atomic)
{
    for (int count = 1 + (int)below(3); count > 0; count--) {
        struct step *s = &schedule[below((unsigned)steps)];
        *s = (struct step){s->thread, (int)below(2), atomic, 0};
        for (int tries = 0; tries < 10; tries++) {
            int other = (int)below(ATOMICS + PLAINS + PARTS);
            if (variables_overlap(atomic, other))
                s->variable = other;
        }
    }
}

static void generate(uint64_t seed)
{
    state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    below(1);
    threads = 2 + (int)below(MOST_THREADS - 1);
    steps = 6 + (int)below(MOST_STEPS - 6);
    unsigned kind = below(4), variables = 1 + below(2);                   /* few: they must meet */
    int first = kind == 2 && below(2) == 0 ? 2 : (int)below(ATOMICS - 1); /* the 8 bytes above all */
    unsigned fences = below(2) == 0 ? 3 : 1000, plain = kind == 3 ? 4 + below(12) : 1000; /* one in so many */
    for (int i = 0; i < steps; i++) {
        struct step *s = &schedule[i];
        s->thread = (int)below((unsigned)threads);
        s->variable = first + (int)below(variables);
        s->operation = below(fences) == 0 ? FENCE : LOAD + (int)below(4);
        if (below(plain) == 0) {
            s->operation = below(3) == 0 ? PLAIN_WRITE : PLAIN_READ;
            s->variable = below(8) == 0 ? (int)below(ATOMICS + PLAINS + PARTS) : ATOMICS + (int)below(PLAINS);
        }
        s->order = order_for(s->operation);
    }
    if (kind < 2)
        two_plain_accesses();
    else if (kind == 2)
        plain_parts(first);
}

static void print_schedule(void)
{
    for (int i = 0; i < steps; i++) {
        const struct step *s = &schedule[i];
        printf("  %2d  T%d  %s", i, s->thread, operation_name[s->operation]);
        if (s->operation != FENCE)
            printf(" of %d bytes at %d", variable[s->variable].size, variable[s->variable].offset);
        printf("%s%s\n", s->operation >= LOAD ? " " : "", s->operation >= LOAD ? order_name[s->order] : "");
    }
}

/* --- the definition --- */

static bool acquires(int order)
{
    return order != RELAXED && order != RELEASE;
}

static bool releases(int order)
{
    return order >= RELEASE;
}

static bool is_write(const struct step *s)
{
    return s->operation == STORE || s->operation == MODIFY || s->operation == PLAIN_WRITE;
}

static bool is_atomic(const struct step *s)
{
    return s->operation >= LOAD && s->operation <= FAILED_EXCHANGE;
}

static bool before[MOST_STEPS][MOST_STEPS];

/* What acquires because of the read at step r: the read itself, or the first acquire fence after it. -1:
 * nothing. */
static int acquirer(int r)
{
    if (acquires(schedule[r].order))
        return r;
    for (int f = r + 1; f < steps; f++)
        if (schedule[f].thread == schedule[r].thread && schedule[f].operation == FENCE &&
            acquires(schedule[f].order))
            return f;
    return -1;
}

/* What releases because of the write at step w: the write itself, or the last release fence before it. */
static int releaser(int w)
{
    if (releases(schedule[w].order))
        return w;
    for (int f = w - 1; f >= 0; f--)
        if (schedule[f].thread == schedule[w].thread && schedule[f].operation == FENCE &&
            releases(schedule[f].order))
            return f;
    return -1;
}

/* The atomic read at step r reads what the last atomic write before it wrote, which belongs to the release
 * sequences of that write and of all that it continues. */
static void synchronize(int r)
{
    int to = acquirer(r);
    if (to < 0)
        return;
    for (int w = r - 1; w >= 0; w--) {
        const struct step *s = &schedule[w];
        if (s->variable != schedule[r].variable || s->operation == FENCE ||
            (s->operation != STORE && s->operation != MODIFY))
            continue;
        int from = releaser(w);
        if (from >= 0)
            before[from][to] = true;
        if (s->operation == STORE)
            return;
    }
}

static bool defined_race(void)
{
    memset(before, 0, sizeof before);
    for (int i = 0; i < steps; i++)
        for (int k = i + 1; k < steps; k++)
            before[i][k] = schedule[i].thread == schedule[k].thread;
    for (int i = 0; i < steps; i++)
        if (schedule[i].operation == LOAD || schedule[i].operation == MODIFY ||
            schedule[i].operation == FAILED_EXCHANGE)
            synchronize(i);
    for (int via = 0; via < steps; via++)
        for (int i = 0; i < steps; i++)
            for (int k = 0; before[i][via] && k < steps; k++)
                before[i][k] |= before[via][k];
    for (int i = 0; i < steps; i++)
        for (int k = i + 1; k < steps; k++)
            if (schedule[i].operation != FENCE && schedule[k].operation != FENCE &&
                variables_overlap(schedule[i].variable, schedule[k].variable) && !before[i][k] &&
                (is_write(&schedule[i]) || is_write(&schedule[k])) &&
                !(is_atomic(&schedule[i]) && is_atomic(&schedule[k])))
                return true;
    return false;
}

/* --- the execution --- */

typedef unsigned __int128 wide;

void __tsan_init(void);
void __tsan_func_entry(void *pc);
void __tsan_read_range(void *address, unsigned long size);
void __tsan_write_range(void *address, unsigned long size);
/* Looked up, not linked to: the runtime takes short cuts in programs that have no fences. */
static void (*fence)(int order);
#define DECLARE(bits, type)                                                                                  \
    type __tsan_atomic##bits##_load(const volatile type *a, int order);                                      \
    void __tsan_atomic##bits##_store(volatile type *a, type v, int order);                                   \
    type __tsan_atomic##bits##_exchange(volatile type *a, type v, int order);                                \
    type __tsan_atomic##bits##_fetch_add(volatile type *a, type v, int order);                               \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type *a, type *e, type v, int order,          \
                                                      int failure);                                          \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type e, type v, int order,             \
                                                    int failure);                                            \
    static void atomic_##bits(const struct step *s, volatile type *a)                                        \
    {                                                                                                        \
        static unsigned turn;                                                                                \
        type other = (type) ~*a;                                                                             \
        switch (s->operation) {                                                                              \
        case LOAD:                                                                                           \
            __tsan_atomic##bits##_load(a, s->order);                                                         \
            break;                                                                                           \
        case STORE:                                                                                          \
            __tsan_atomic##bits##_store(a, other, s->order);                                                 \
            break;                                                                                           \
        case MODIFY:                                                                                         \
            if (turn++ % 3 == 0)                                                                             \
                __tsan_atomic##bits##_exchange(a, other, s->order);                                          \
            else if (turn % 3 == 0)                                                                          \
                __tsan_atomic##bits##_compare_exchange_val(a, *a, other, s->order, RELAXED);                 \
            else                                                                                             \
                __tsan_atomic##bits##_fetch_add(a, 1, s->order);                                             \
            break;                                                                                           \
        case FAILED_EXCHANGE:                                                                                \
            if (__tsan_atomic##bits##_compare_exchange_strong(a, &other, 1, SEQ_CST, s->order))              \
                abort();                                                                                     \
            break;                                                                                           \
        }                                                                                                    \
    }

DECLARE(8, uint8_t)
DECLARE(16, uint16_t)
DECLARE(32, uint32_t)
DECLARE(64, uint64_t)
DECLARE(128, wide)

static void execute(const struct step *s)
{
    char *a = memory + variable[s->variable].offset;
    size_t size = (size_t)variable[s->variable].size;
    if (s->operation == FENCE)
        fence(s->order);
    else if (s->operation == PLAIN_READ)
        __tsan_read_range(a, size);
    else if (s->operation == PLAIN_WRITE)
        __tsan_write_range(a, size);
    else if (size == 1)
        atomic_8(s, (uint8_t *)a);
    else if (size == 2)
        atomic_16(s, (uint16_t *)a);
    else if (size == 4)
        atomic_32(s, (uint32_t *)a);
    else if (size == 8)
        atomic_64(s, (uint64_t *)a);
    else
        atomic_128(s, (wide *)a);
}

static int now; /* the next step; the threads wait for their turn, unseen */

static void *thread_main(void *number)
{
    int me = (int)(intptr_t)number;
    __tsan_func_entry(__builtin_return_address(0));
    for (int i = 0; i < steps; i++) {
        if (schedule[i].thread != me)
            continue;
        while (__atomic_load_n(&now, __ATOMIC_ACQUIRE) != i)
            sched_yield();
        execute(&schedule[i]);
        __atomic_store_n(&now, i + 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

static void run_schedule(void)
{
    pthread_t thread[MOST_THREADS];
    for (int i = 0; i < steps; i++)
        if (schedule[i].operation == FENCE)
            fence(RELAXED); /* orders nothing, but here are fences */
    for (int i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, thread_main, (void *)(intptr_t)i);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
}

/* The child's exit status, or -1. */
static int status_of(pid_t child)
{
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Whether the runtime reports a race; -1 when something else happens. */
static int reported_race(void)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        run_schedule();
        _exit(told ? EXIT_RACE : 0);
    }
    int status = status_of(child);
    return status == EXIT_RACE ? 1 : status == 0 ? 0 : -1;
}

/* --- recorded --- */

static const char *photofinish; /* NULL: nothing is */

static int silently(const char *const *command)
{
    fflush(stdout); /* what is not yet written would be written by the child, too */
    pid_t child = fork();
    if (child == 0) {
        if (freopen("/dev/null", "w", stdout) != NULL && freopen("/dev/null", "w", stderr) != NULL)
            execv(command[0], (char *const *)command);
        _exit(127);
    }
    return status_of(child);
}

/* Whether its recording has a race; -1 when something else happens. */
static int recorded_race(uint64_t seed)
{
    char file[] = "/tmp/atomics_random.XXXXXX", self[4096], number[24];
    int fd = mkstemp(file);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (fd < 0 || length < 0)
        return -1;
    close(fd);
    self[length] = 0;
    snprintf(number, sizeof number, "%llu", (unsigned long long)seed);
    int status =
        silently((const char *[]){photofinish, "record", "-o", file, self, "--execute", number, NULL});
    if (status == 0)
        status = silently((const char *[]){photofinish, "analyze", file, NULL});
    unlink(file);
    return status == 0 || status == 1 ? status : -1;
}

int main(int argc, char **argv)
{
    const char *self = argv[0];
    __tsan_init();
    *(void **)&fence = dlsym(RTLD_DEFAULT, "__tsan_atomic_thread_fence");
    if (argc == 3 && strcmp(argv[1], "--execute") == 0) {
        generate(strtoull(argv[2], NULL, 0));
        run_schedule();
        return 0;
    }
    if (argc > 2 && strcmp(argv[1], "--recorded") == 0) {
        photofinish = argv[2];
        argc -= 2;
        argv += 2;
    }
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    unsigned count = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 1000, wrong = 0, racy = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        generate(seed);
        int expected = defined_race(), reported = photofinish != NULL ? recorded_race(seed) : reported_race();
        racy += (unsigned)expected;
        if (expected == reported)
            continue;
        wrong++;
        printf("seed %llu (%s %llu 1): %s\n", (unsigned long long)seed, self, (unsigned long long)seed,
               reported < 0 ? "the program failed"
               : expected   ? "race missed"
                            : "no race, but one reported");
        print_schedule();
    }
    printf("%u schedules, %u racy, %u wrong\n", count, racy, wrong);
    return wrong != 0 || count == 0;
}
