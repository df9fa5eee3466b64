/* What handlers get to see, and what they do to the functions that they interrupt, is as without us: prints it. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static _Atomic int handled;
static volatile int depth, deepest;
static siginfo_t last;
static char room[1 << 16];

static int shared_array[1000];

static void count(int number)
{
    for (int i = 0; i < 100; i++)
        shared_array[i] += number;
    handled++;
}

static void keep(int number, siginfo_t *info, void *context)
{
    (void)number;
    last = *info;
    handled += context != NULL;
}

static void nest(int number)
{
    depth++;
    deepest = depth > deepest ? depth : deepest;
    if (handled++ < 2)
        raise(number);
    depth--;
}

static void where(int number)
{
    char local;
    (void)number;
    handled = &local >= room && &local < room + sizeof room;
}

static sigjmp_buf out;

static void skip(int number, siginfo_t *info, void *context)
{
    (void)number;
    last = *info;
    (void)context;
    siglongjmp(out, 1);
}

static void set(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(number, &action, NULL);
}

static void set_info(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action = {.sa_flags = flags | SA_SIGINFO};
    action.sa_sigaction = handler;
    sigaction(number, &action, NULL);
}

static const char *name(void (*handler)(int))
{
    return handler == SIG_DFL ? "default" : handler == SIG_IGN ? "ignore" : handler == count ? "count" : "other";
}

static void flags(void)
{
    struct sigaction now;
    set(SIGUSR1, count, (int)SA_RESETHAND | SA_RESTART);
    sigaction(SIGUSR1, NULL, &now);
    printf("once: %s %x\n", name(now.sa_handler), (unsigned)now.sa_flags & ~0x4000000u);
    raise(SIGUSR1);
    sigaction(SIGUSR1, NULL, &now);
    printf("then: %s\n", name(now.sa_handler));
    set(SIGUSR1, nest, SA_NODEFER);
    handled = 0;
    raise(SIGUSR1);
    printf("nested %d\n", deepest);
    handled = deepest = 0;
    set(SIGUSR1, nest, 0);
    raise(SIGUSR1);
    printf("one at a time %d %d\n", deepest, depth);
    set(SIGUSR1, count, 0);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = SIG_IGN}, &now);
    printf("before: %s %x\n", name(now.sa_handler), (unsigned)now.sa_flags & ~0x4000000u);
    printf("signal: %s\n", name(signal(SIGUSR1, count)));
    printf("signal: %s\n", name(signal(SIGUSR1, SIG_DFL)));
    printf("sigset: %s\n", name(sigset(SIGUSR1, count)));
    printf("sigset: %s\n", name(sigset(SIGUSR1, SIG_HOLD)));
    printf("sigset: %s\n", sigset(SIGUSR1, count) == SIG_HOLD ? "hold" : "other");
    int bad = sigaction(SIGKILL, &now, NULL);
    printf("bad: %d %d\n", bad, errno);
    errno = 0;
    bad = sigaction(1000, &now, NULL);
    printf("bad: %d %d\n", bad, errno);
}

static void infos(void)
{
    set_info(SIGRTMIN + 3, keep, 0);
    sigqueue(getpid(), SIGRTMIN + 3, (union sigval){.sival_int = 42});
    printf("queued: %d %d %d\n", last.si_value.sival_int, last.si_code == SI_QUEUE, last.si_pid == getpid());
    set_info(SIGSEGV, skip, 0);
    if (sigsetjmp(out, 1) == 0)
        *(volatile int *)16 = 1;
    printf("fault at %p, code %d\n", last.si_addr, last.si_code);
    if (sigsetjmp(out, 1) == 0)
        __atomic_fetch_add((volatile int *)24, 1, __ATOMIC_SEQ_CST);
    printf("fault at %p, code %d\n", last.si_addr, last.si_code);
    set_info(SIGTRAP, skip, 0);
    if (sigsetjmp(out, 1) == 0)
        __asm__ volatile("int3");
    printf("trap %d %d\n", last.si_signo, last.si_code > 0);
    if (sigsetjmp(out, 1) == 0)
        raise(SIGTRAP);
    printf("trap %d %d\n", last.si_signo, last.si_code > 0);
    signal(SIGSEGV, SIG_DFL);
    signal(SIGTRAP, SIG_DFL);
}

static void stacks(void)
{
    stack_t alternate = {.ss_sp = room, .ss_size = sizeof room}, old;
    sigaltstack(NULL, &old);
    printf("had one: %d\n", old.ss_flags != SS_DISABLE);
    sigaltstack(&alternate, NULL);
    set(SIGUSR2, where, SA_ONSTACK);
    raise(SIGUSR2);
    printf("on it: %d\n", handled);
    set(SIGUSR2, where, 0);
    raise(SIGUSR2);
    printf("on it: %d\n", handled);
    alternate.ss_flags = SS_DISABLE;
    sigaltstack(&alternate, &old);
    printf("was: %d %d %d\n", old.ss_sp == room, old.ss_size == sizeof room, old.ss_flags);
    set(SIGUSR2, where, SA_ONSTACK);
    raise(SIGUSR2);
    printf("on it: %d\n", handled);
}

static void masks(void)
{
    sigset_t set_, old;
    struct sigaction action = {.sa_handler = count};
    sigemptyset(&set_);
    sigaddset(&set_, SIGUSR1);
    handled = 0;
    sigaction(SIGUSR1, &action, NULL);
    sigprocmask(SIG_BLOCK, &set_, &old);
    raise(SIGUSR1);
    sigpending(&set_);
    printf("pending %d handled %d\n", sigismember(&set_, SIGUSR1), handled);
    sigsuspend(&old);
    printf("suspended: handled %d errno %d\n", handled, errno);
    sigprocmask(SIG_SETMASK, &old, &set_);
    printf("still blocked: %d\n", sigismember(&set_, SIGUSR1));
}

static void *interrupt(void *target)
{
    while (!handled) {
        struct timespec short_while = {.tv_nsec = 2000000};
        nanosleep(&short_while, NULL);
        pthread_kill(*(pthread_t *)target, SIGUSR1);
    }
    return NULL;
}

static void *write_later(void *fd)
{
    while (!handled) {
        struct timespec short_while = {.tv_nsec = 2000000};
        nanosleep(&short_while, NULL);
    }
    if (write(*(int *)fd, "x", 1) != 1)
        perror("write");
    return NULL;
}

static void blocking(void)
{
    int ends[2];
    char byte;
    pthread_t self = pthread_self(), other, writer;
    if (pipe(ends) != 0)
        return;
    handled = 0;
    set(SIGUSR1, count, 0);
    pthread_create(&other, NULL, interrupt, &self);
    ssize_t got = read(ends[0], &byte, 1);
    int error = errno;
    pthread_join(other, NULL);
    printf("read: %zd %d\n", got, error == EINTR);
    handled = 0;
    set(SIGUSR1, count, SA_RESTART);
    pthread_create(&writer, NULL, write_later, &ends[1]);
    pthread_create(&other, NULL, interrupt, &self);
    got = read(ends[0], &byte, 1);
    pthread_join(other, NULL);
    pthread_join(writer, NULL);
    printf("read: %zd\n", got);
}

static void storm(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 7};
    struct itimerspec often = {.it_interval.tv_nsec = 500000, .it_value.tv_nsec = 500000}, never = {0};
    timer_t timer;
    handled = 0;
    set_info(SIGRTMIN, keep, SA_RESTART);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &often, NULL);
    while (handled < 100)
        for (int i = 0; i < 1000; i++)
            shared_array[i]++;
    timer_settime(timer, 0, &never, NULL);
    printf("timer: %d %d\n", last.si_code == SI_TIMER, last.si_value.sival_int);
}

/* --- queued ones, of one number, to a thread that is busy with what the runtime has a part in --- */

enum { SENT = 3000 };
static int next_value, out_of_order;

static void in_order(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    out_of_order += info->si_value.sival_int != next_value;
    next_value = info->si_value.sival_int + 1;
    handled++;
}

static void *send_many(void *target)
{
    for (int i = 0; i < SENT; i++)
        while (pthread_sigqueue(*(pthread_t *)target, SIGRTMIN + 2, (union sigval){.sival_int = i}) != 0)
            usleep(100); /* too many are queued */
    return NULL;
}

static void queued(void)
{
    pthread_t sender, self = pthread_self();
    static _Atomic int word;
    handled = next_value = 0;
    set_info(SIGRTMIN + 2, in_order, 0);
    pthread_create(&sender, NULL, send_many, &self);
    while (handled < SENT) {
        word++;
        for (int i = 0; i < 1000; i++)
            shared_array[i]++;
    }
    pthread_join(sender, NULL);
    printf("queued: %d out of order, last %d\n", out_of_order, next_value - 1);
}

int main(void)
{
    flags();
    infos();
    stacks();
    masks();
    blocking();
    storm();
    queued();
    return 0;
}
