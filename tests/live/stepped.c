/* Something comes between at every instruction of an access that has been made before, one after the other:
 *
 *   stepped signal    a signal handler, which releases something
 *   stepped clear     another thread maps other memory there
 *   stepped foreign   a thread that nobody has seen created, to which all others release what they have done
 *
 * The same access after it is another one, and races each time. The parent process steps through the child. Prints how
 * many instructions they were. */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../programs/unseen.h"

enum { MOST = 2000, PAGE = 4096 };
static struct page {
    volatile long word;
    char rest[PAGE - sizeof(long)];
} * pages;
static char way; /* first letter of the argument */
static sem_t sem;

/* Unseen: the parent lets the other thread act, so many times; it, or the handler, has; the parent is done. */
static long let, acted, finished;

UNSEEN long get(const long *from)
{
    long value;
    __asm__ volatile("movq %1, %0" : "=r"(value) : "m"(*from) : "memory");
    return value;
}

UNSEEN void count(long *at)
{
    __asm__ volatile("incq %0" : "+m"(*at) : : "memory");
}

static void handler(int number)
{
    (void)number;
    sem_post(&sem);
    count(&acted);
}

static void *map(void *at, size_t size)
{
    void *memory = mmap(at, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | (at != NULL ? MAP_FIXED : 0), -1, 0);
    if (memory == MAP_FAILED)
        abort();
    return memory;
}

/* --- what races with the last access --- */

static void read_last(int i)
{
    unseen_wait(2 * i + 1);
    if (get(&finished))
        return;
    if (way == 's')
        sem_wait(&sem);
    (void)pages[i].word;
}

static void *foreign(void *number)
{
    static volatile int others;
    others = 1; /* here it is seen for the first time */
    count(&acted);
    read_last((int)(long)number);
    return NULL;
}

static pthread_t create_unseen(int i)
{
    pthread_t thread;
    void *libc = dlopen("libc.so.6", RTLD_NOW);
    __typeof__(pthread_create) *create =
        libc != NULL ? (__typeof__(create))dlsym(libc, "pthread_create") : NULL;
    if (create == NULL || create(&thread, NULL, foreign, (void *)(long)i) != 0)
        abort();
    return thread;
}

static void *other(void *unused)
{
    for (int i = 0; !get(&finished); unseen_signal(2 * i + 2), i++) {
        while (get(&let) <= i && !get(&finished))
            unseen_yield();
        if (way == 'f' && !get(&finished)) {
            pthread_join(create_unseen(i), NULL);
            continue;
        }
        if (way == 'c') {
            map(&pages[i], PAGE);
            count(&acted);
        }
        read_last(i);
    }
    return unused;
}

/* --- the accesses --- */

static __attribute__((noinline)) void access_word(int i)
{
    pages[i].word = 1;
    __asm__ volatile("");
}

static __attribute__((noinline)) void access_last(int i)
{
    pages[i].word = 2;
    __asm__ volatile("");
}

/* Steps go from one to the next. */
#define STOP __asm__ volatile("int3" : : : "memory")

static void child(void)
{
    pthread_t thread;
    pages = map(NULL, MOST * sizeof *pages);
    sem_init(&sem, 0, 0);
    signal(SIGUSR1, handler);
    pthread_create(&thread, NULL, other, NULL);
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    for (int i = 0; i < MOST && !get(&finished); i++) {
        access_word(i);
        STOP;
        access_word(i);
        STOP;
        while (!get(&finished) && get(&acted) <= i)
            unseen_yield();
        if (!get(&finished))
            access_last(i);
        unseen_signal(2 * i + 1);
        unseen_wait(get(&finished) ? 0 : 2 * i + 2);
    }
    pthread_join(thread, NULL);
}

/* --- the parent --- */

static pid_t traced;

static int is_stop(int status)
{
    siginfo_t info;
    ptrace(PTRACE_GETSIGINFO, traced, NULL, &info);
    return WSTOPSIG(status) == SIGTRAP && info.si_code == SI_KERNEL;
}

/* Goes on to the next STOP, with this signal and whatever comes. */
static void go_on(int number)
{
    int status;
    do {
        ptrace(PTRACE_CONT, traced, NULL, (void *)(long)number);
        if (waitpid(traced, &status, 0) != traced || !WIFSTOPPED(status))
            exit(1);
        number = WSTOPSIG(status);
    } while (!is_stop(status));
}

/* False: the access has fewer. */
static int steps(int count)
{
    int status = 0;
    for (int i = 0; i < count && !is_stop(status); i++) {
        ptrace(PTRACE_SINGLESTEP, traced, NULL, NULL);
        if (waitpid(traced, &status, 0) != traced || !WIFSTOPPED(status))
            exit(1);
    }
    return count == 0 || !is_stop(status);
}

static void poke(long *at, long value)
{
    ptrace(PTRACE_POKEDATA, traced, at, (void *)value);
}

/* The other thread acts now. */
static void let_act(int i)
{
    poke(&let, i + 1);
    while (ptrace(PTRACE_PEEKDATA, traced, &acted, NULL) <= i)
        unseen_yield();
}

int main(int argc, char **argv)
{
    int i = 0;
    way = argc > 1 ? *argv[1] : 's';
    if ((traced = fork()) == 0) {
        child();
        return 0;
    }
    waitpid(traced, NULL, 0);
    for (; steps(i); i++) {
        if (way != 's')
            let_act(i);
        go_on(way == 's' ? SIGUSR1 : 0);
        poke(&let, i + 1);
        go_on(0);
    }
    poke(&finished, 1);
    ptrace(PTRACE_DETACH, traced, NULL, NULL);
    waitpid(traced, NULL, 0);
    printf("%d\n", i);
    return 0;
}
