/* Pointers that are read first in an epoch, in pages that may not be read any more: each faults once, at the
 * program's own instruction, and the handler makes the page readable. One page is protected, the other is a
 * file's that has become too short. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096, EPOCHS = 20 };

static void *volatile *page;
static int file, faults, elsewhere;
extern const char __start_reads[], __stop_reads[];

static __attribute__((noinline, section("reads"))) void *read_pointer(void *volatile *from)
{
    return *from;
}

static void make_readable(int number, siginfo_t *info, void *context)
{
    const char *at = (const char *)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    (void)info;
    faults++;
    elsewhere += at < __start_reads || at >= __stop_reads;
    if (number == SIGSEGV ? mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE) : ftruncate(file, PAGE))
        _exit(3);
}

static void *nothing(void *unused)
{
    return unused;
}

/* What the program does next is in another epoch. */
static void new_epoch(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
}

static void protect(void)
{
    if (mprotect((void *)page, PAGE, PROT_NONE) != 0)
        exit(4);
}

static void shorten(void)
{
    if (ftruncate(file, 0) != 0)
        exit(5);
}

static void faults_each_time(void (*take_away)(void))
{
    for (int i = 0; i < EPOCHS; i++) {
        *page = (void *)page;
        new_epoch();
        take_away();
        read_pointer(page);
    }
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = make_readable, .sa_flags = SA_SIGINFO};
    file = memfd_create("page", 0);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    faults_each_time(protect);
    if (ftruncate(file, PAGE) != 0)
        return 6;
    page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    faults_each_time(shorten);
    return faults == 2 * EPOCHS && elsewhere == 0 ? 0 : 1;
}
