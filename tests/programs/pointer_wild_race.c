/* Pointers to where no memory can be are followed, by a program that gets over it; then two threads race. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

#include "pair.h"

static int x;
static sigjmp_buf before;
static char copy[200];
static const uintptr_t wild[] = {0x7ffffffff000, 0x800000000000, 0xdeadbeefdeadbee8, UINTPTR_MAX - 4095};

static void get_over(int signal)
{
    (void)signal;
    siglongjmp(before, 1);
}

static __attribute__((noinline)) int load(volatile int *from)
{
    return *from;
}

static __attribute__((noinline)) int load_atomically(int *from)
{
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

static void follow(void *pointer)
{
    load(&x);
    if (sigsetjmp(before, 1) == 0)
        load(pointer);
    load(&x);
    if (sigsetjmp(before, 1) == 0)
        load_atomically(pointer);
    if (sigsetjmp(before, 1) == 0)
        memcpy(copy, pointer, sizeof copy);
}

static void *write(void *unused)
{
    *(volatile int *)&x = 1;
    return unused;
}

int main(void)
{
    signal(SIGSEGV, get_over);
    signal(SIGBUS, get_over);
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++)
        follow((void *)wild[i]);
    pair(write, write);
    return 0;
}
