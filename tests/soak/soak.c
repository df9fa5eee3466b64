/* Everything that a program can make and give back, again and again, free of races: what the detector keeps
 * of it must not grow. Prints how much memory is resident while it goes, and fails if that is not flat after
 * a warm-up: no more in the last quarter of the rounds than in the second, but for a small part.
 *
 * Usage: soak PLUGIN ROUNDS [KIND...]
 *
 * A round does each kind once: some of them in the main thread, most in a crew of threads that lives as long
 * as the program, so that what is left behind belongs to threads which go on.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "../programs/must.h"
#include "../programs/resident.h"

enum { CREW = 6 };

static const char *plugin;

static uint64_t random_of(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* --- the crew: does one thing at a time, all together --- */

static pthread_barrier_t begin, end;
static void (*task)(int member, uint64_t *random);

static void *member(void *number)
{
    uint64_t random = 1 + (uintptr_t)number;
    for (;;) {
        pthread_barrier_wait(&begin);
        if (task == NULL)
            return NULL;
        task((int)(uintptr_t)number, &random);
        pthread_barrier_wait(&end);
    }
}

static void together(void (*what)(int member, uint64_t *random))
{
    task = what;
    pthread_barrier_wait(&begin);
    if (what != NULL)
        pthread_barrier_wait(&end);
}

/* --- threads: joined, detached --- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int counter;
static sem_t gone;
static __thread int of_thread[64];

static void *short_life(void *detached)
{
    int *own = calloc(100, sizeof *own);
    for (int i = 0; i < 100; i++)
        own[i] = of_thread[i % 64]++;
    pthread_mutex_lock(&lock);
    counter += own[99];
    pthread_mutex_unlock(&lock);
    free(own);
    if (detached != NULL)
        sem_post(&gone);
    return NULL;
}

static void threads(void)
{
    enum { AT_ONCE = 24 };
    pthread_t t[AT_ONCE];
    for (int i = 0; i < AT_ONCE; i++)
        must(pthread_create(&t[i], NULL, short_life, i % 2 ? &gone : NULL) == 0);
    for (int i = 0; i < AT_ONCE; i++)
        must((i % 2 ? pthread_detach(t[i]) : pthread_join(t[i], NULL)) == 0);
    for (int i = 0; i < AT_ONCE / 2; i++)
        sem_wait(&gone);
}

/* --- locks: made, used, destroyed; or only freed --- */

struct locks {
    pthread_mutex_t mutex;
    pthread_rwlock_t readers;
    pthread_spinlock_t spin;
    sem_t semaphore;
    pthread_cond_t condition;
    pthread_barrier_t barrier;
    int data;
};

static void use_locks(struct locks *l)
{
    pthread_mutex_lock(&l->mutex);
    l->data++;
    pthread_cond_signal(&l->condition);
    pthread_mutex_unlock(&l->mutex);
    pthread_rwlock_rdlock(&l->readers);
    pthread_rwlock_unlock(&l->readers);
    pthread_rwlock_wrlock(&l->readers);
    pthread_rwlock_unlock(&l->readers);
    pthread_spin_lock(&l->spin);
    pthread_spin_unlock(&l->spin);
    sem_post(&l->semaphore);
    sem_wait(&l->semaphore);
    pthread_barrier_wait(&l->barrier);
}

static void some_locks(int member, uint64_t *random)
{
    for (int i = 0; i < 200; i++) {
        struct locks *l = malloc(sizeof *l + random_of(random) % 200);
        must(l != NULL && pthread_mutex_init(&l->mutex, NULL) == 0);
        must(pthread_rwlock_init(&l->readers, NULL) == 0);
        must(pthread_spin_init(&l->spin, 0) == 0 && sem_init(&l->semaphore, 0, 0) == 0);
        must(pthread_cond_init(&l->condition, NULL) == 0 && pthread_barrier_init(&l->barrier, NULL, 1) == 0);
        l->data = member;
        use_locks(l);
        if (i % 2) {
            pthread_mutex_destroy(&l->mutex);
            pthread_rwlock_destroy(&l->readers);
            pthread_spin_destroy(&l->spin);
            sem_destroy(&l->semaphore);
            pthread_cond_destroy(&l->condition);
            pthread_barrier_destroy(&l->barrier);
        }
        free(l);
    }
}

static void locks(void)
{
    together(some_locks);
}

/* --- the heap: all sizes; freed by who got it, or by the next --- */

static void *handed[CREW][16];

static size_t some_size(uint64_t *random)
{
    return 1 + random_of(random) % ((size_t)1 << (4 + random_of(random) % 11));
}

static void some_blocks(int member, uint64_t *random)
{
    void **mine = handed[member];
    char *large = malloc((1 << 17) + random_of(random) % (1 << 17)); /* a mapping of its own */
    must(large != NULL);
    memset(large, member, 1 << 17);
    free(large);
    for (int i = 0; i < 64; i++) {
        void **block = &mine[random_of(random) % 16];
        size_t size = some_size(random);
        if (i % 3 == 0 && *block != NULL) {
            *block = realloc(*block, size);
        } else {
            free(*block);
            *block = i % 3 == 1 ? malloc(size) : calloc(1, size);
        }
        must(*block != NULL);
        memset(*block, i, size);
        for (size_t at = 0; at < size; at += 1 + random_of(random) % 512)
            ((char *)*block)[at]++;
    }
}

static void blocks(void)
{
    void *first[16];
    together(some_blocks);
    memcpy(first, handed[0], sizeof first);
    for (int i = 0; i + 1 < CREW; i++)
        memcpy(handed[i], handed[i + 1], sizeof first);
    memcpy(handed[CREW - 1], first, sizeof first);
}

static void some_mappings(int member, uint64_t *random)
{
    (void)member;
    for (int i = 0; i < 4; i++) {
        size_t size = (1 + random_of(random) % 32) << 12;
        char *m = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        must(m != MAP_FAILED);
        for (size_t at = 0; at < size; at += 8)
            *(long *)(void *)(m + at) = i;
        char *moved = mremap(m, size, size + (1 << 16), MREMAP_MAYMOVE);
        must(moved != MAP_FAILED && munmap(moved, size + (1 << 16)) == 0);
    }
}

static void mappings(void)
{
    together(some_mappings);
}

/* --- many readers of the same words, each time other ones --- */

enum { WORDS = 1 << 13 };
static int shared[WORDS];
static atomic_int read_sum;

static void some_reads(int member, uint64_t *random)
{
    int sum = 0;
    (void)member;
    for (int part = 0; part < 8; part++) {
        int from = (int)(random_of(random) % WORDS), count = (int)(random_of(random) % 2048);
        for (int i = 0; i < count; i++)
            sum += shared[(from + i * 7) % WORDS];
        atomic_fetch_add(&read_sum, sum); /* a new epoch */
    }
}

static void readers(void)
{
    together(some_reads);
    together(some_reads);
    for (int i = 0; i < WORDS; i += 1 + i % 3)
        shared[i]++;
}

/* --- conditions --- */

static int turn;

static void some_turns(int member, uint64_t *random)
{
    (void)random;
    for (int i = 0; i < 8; i++) {
        pthread_mutex_lock(&lock);
        while (turn % CREW != member)
            pthread_cond_wait(&condition, &lock);
        turn++;
        pthread_cond_broadcast(&condition);
        pthread_mutex_unlock(&lock);
    }
}

static void conditions(void)
{
    together(some_turns);
}

/* --- atomics of all sizes, in blocks that come and go; bytes beside them --- */

struct atomics {
    _Atomic uint8_t one;
    char plain;
    _Atomic uint16_t two;
    _Atomic uint32_t four;
    _Atomic uint64_t eight;
    char bytes[16];
};
static struct atomics *_Atomic board[CREW];

static void some_atomics(int member, uint64_t *random)
{
    for (int i = 0; i < 100; i++) {
        struct atomics *a = calloc(1 + random_of(random) % 4, sizeof *a);
        must(a != NULL);
        a->plain = 1;
        for (int b = 0; b < 16; b += 3)
            a->bytes[b] = (char)b;
        atomic_fetch_add(&a->one, 1);
        atomic_store_explicit(&a->two, 2, memory_order_release);
        atomic_fetch_or_explicit(&a->four, 4, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        uint64_t none = 0;
        atomic_compare_exchange_strong(&a->eight, &none, (uint64_t)i);
        free(atomic_exchange(&board[(member + i) % CREW], a));
    }
}

static void atomics(void)
{
    together(some_atomics);
}

/* --- descriptors --- */

static void some_descriptors(int member, uint64_t *random)
{
    int pipes[2], sockets[2];
    char text[64] = "what goes through";
    (void)member;
    for (int i = 0; i < 10; i++) {
        int count = eventfd(1, 0), null = open("/dev/null", O_RDWR), several = epoll_create1(0);
        struct epoll_event event = {.events = EPOLLIN, .data.u64 = random_of(random)};
        uint64_t value;
        must(pipe(pipes) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
        must(epoll_ctl(several, EPOLL_CTL_ADD, pipes[0], &event) == 0);
        must(write(pipes[1], text, sizeof text) == sizeof text && epoll_wait(several, &event, 1, -1) == 1);
        must(read(pipes[0], text, sizeof text) == sizeof text);
        must(send(sockets[0], text, 10, 0) == 10 && recv(sockets[1], text, 10, 0) == 10);
        must(read(count, &value, sizeof value) == sizeof value && write(null, text, 5) == 5);
        int other = dup(null);
        FILE *stream = fdopen(other, "w");
        fprintf(stream, "%d", i);
        fclose(stream);
        close(pipes[0]), close(pipes[1]), close(sockets[0]), close(sockets[1]);
        close(several), close(count), close(null);
    }
}

static void descriptors(void)
{
    together(some_descriptors);
}

/* --- libraries, processes, signals --- */

static void libraries(void)
{
    static uint64_t random = 7;
    size_t gap = (1 + random_of(&random) % 64) << 12; /* so that it is not always at the same place */
    void *taken = mmap(NULL, gap, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 2; i++) {
        void *library = dlopen(plugin, RTLD_NOW);
        must(library != NULL);
        int (*work)(int) = (int (*)(int))dlsym(library, "plugin_work");
        must(work != NULL && work(i) == 2 * i);
        must(dlclose(library) == 0);
    }
    munmap(taken, gap);
}

static void processes(void)
{
    int status;
    pid_t child = fork();
    must(child >= 0);
    if (child == 0) {
        pthread_t t;
        counter++;
        _exit(pthread_create(&t, NULL, short_life, NULL) != 0 || pthread_join(t, NULL) != 0);
    }
    must(waitpid(child, &status, 0) == child && status == 0);
}

static volatile sig_atomic_t handled;

static void on_signal(int number)
{
    (void)number;
    handled = handled + 1;
}

static void some_signals(int member, uint64_t *random)
{
    (void)member;
    for (int i = 0; i < 4; i++) {
        void *block = malloc(some_size(random));
        raise(SIGUSR1);
        free(block);
    }
}

static void signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    some_signals(0, &(uint64_t){3});
}

/* --- stacks: contexts, and fibers that the detector is told of --- */

void *__tsan_get_current_fiber(void) __attribute__((weak));
void *__tsan_create_fiber(unsigned flags) __attribute__((weak));
void __tsan_destroy_fiber(void *fiber) __attribute__((weak));
void __tsan_switch_to_fiber(void *fiber, unsigned flags) __attribute__((weak));

static ucontext_t outer, inner;
static int of_context;

static void in_context(void)
{
    of_context++;
}

static void stacks(void)
{
    char *stack = malloc(1 << 16);
    must(stack != NULL && getcontext(&inner) == 0);
    inner.uc_stack.ss_sp = stack;
    inner.uc_stack.ss_size = 1 << 16;
    inner.uc_link = &outer;
    makecontext(&inner, in_context, 0);
    must(swapcontext(&outer, &inner) == 0);
    free(stack);
    for (int i = 0; __tsan_create_fiber != NULL && i < 4; i++) {
        void *self = __tsan_get_current_fiber(), *fiber = __tsan_create_fiber(0);
        __tsan_switch_to_fiber(fiber, 0);
        of_context++;
        __tsan_switch_to_fiber(self, 0);
        __tsan_destroy_fiber(fiber);
    }
}

/* --- calls: another way through the same functions each time --- */

static int walk(int depth, uint64_t *random);

__attribute__((noinline)) static int left(int depth, uint64_t *random)
{
    return walk(depth - 1, random) + 1;
}

__attribute__((noinline)) static int right(int depth, uint64_t *random)
{
    return walk(depth - 1, random) + 2;
}

static __thread int walked;

__attribute__((noinline)) static int walk(int depth, uint64_t *random)
{
    walked++;
    if (depth == 0) {
        void *volatile block = malloc(20);
        free(block);
        return 0;
    }
    return random_of(random) & 1 ? left(depth, random) : right(depth, random);
}

static void some_calls(int member, uint64_t *random)
{
    (void)member;
    for (int i = 0; i < 30; i++)
        walk(30, random);
}

static void calls(void)
{
    together(some_calls);
}

/* --- rounds --- */

/* Everybody learns what has happened. What a thread that has ended did, and somebody who waits for ever does not
 * know of, could still race with that one: it would have to be kept. */
static void nothing(int member, uint64_t *random)
{
    (void)member;
    (void)random;
}

static const struct {
    const char *name;
    void (*go)(void);
} kind[] = {
    {"threads", threads},     {"locks", locks},           {"blocks", blocks},   {"mappings", mappings},
    {"readers", readers},     {"conditions", conditions}, {"atomics", atomics}, {"descriptors", descriptors},
    {"libraries", libraries}, {"processes", processes},   {"signals", signals}, {"calls", calls},
    {"stacks", stacks},
};
enum { KINDS = sizeof kind / sizeof *kind };

static bool is_wanted(const char *name, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return count == 0;
}

static int by_size(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

/* The median: how many threads happen to be there at a time makes a round or two stick out. */
static long middle(const long *size, long from, long to)
{
    long sorted[to - from];
    memcpy(sorted, size + from, sizeof sorted);
    qsort(sorted, (size_t)(to - from), sizeof *sorted, by_size);
    return sorted[(to - from) / 2];
}

static int judge(const long *size, long rounds)
{
    long early = middle(size, rounds / 4, rounds / 2), late = middle(size, rounds - rounds / 4, rounds);
    long margin = early / 50 + 768;
    printf("the second quarter has %ld KiB, the last %ld KiB: %s\n", early, late,
           late <= early + margin ? "flat" : "it grows");
    return late <= early + margin ? 0 : 1;
}

int main(int argc, char **argv)
{
    pthread_t crew[CREW];
    must(argc > 2);
    setvbuf(stdout, NULL, _IOLBF, 0);
    plugin = argv[1];
    mallopt(M_ARENA_MAX, 2); /* the C library's own heap is soon as large as it gets */
    long rounds = strtol(argv[2], NULL, 10);
    long *size = calloc((size_t)rounds, sizeof *size);
    must(pthread_barrier_init(&begin, NULL, CREW + 1) == 0 &&
         pthread_barrier_init(&end, NULL, CREW + 1) == 0);
    must(sem_init(&gone, 0, 0) == 0);
    for (uintptr_t i = 0; i < CREW; i++)
        must(pthread_create(&crew[i], NULL, member, (void *)i) == 0);
    for (long round = 0; round < rounds; round++) {
        for (int k = 0; k < KINDS; k++)
            if (is_wanted(kind[k].name, argc - 3, argv + 3))
                kind[k].go();
        together(nothing);
        size[round] = resident();
        if (round % (rounds / 20 + 1) == 0)
            printf("round %ld: %ld KiB\n", round, size[round]);
    }
    together(NULL);
    for (int i = 0; i < CREW; i++)
        pthread_join(crew[i], NULL);
    return judge(size, rounds);
}
