/* Two stacks in one thread: a generator and who asks it. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

static ucontext_t asks, gives;
static int value, sum;
static char stack[1 << 16];

__attribute__((noinline)) static void give(int v)
{
    value = v;
    swapcontext(&gives, &asks);
}

static void generate(int first, int last)
{
    for (int i = first; i <= last; i++)
        give(i);
    value = -1;
}

__attribute__((noinline)) static int next(void)
{
    swapcontext(&asks, &gives);
    return value;
}

static void *use(void *unused)
{
    getcontext(&gives);
    gives.uc_stack.ss_sp = stack;
    gives.uc_stack.ss_size = sizeof stack;
    gives.uc_link = &asks;
    makecontext(&gives, (void (*)(void))generate, 2, 1, 100);
    for (int v; (v = next()) >= 0;)
        sum += v;
    if (sum != 5050)
        abort();
    volatile int again = 0; /* a jump back to getcontext() */
    ucontext_t here;
    getcontext(&here);
    if (again++ < 1000)
        setcontext(&here);
    sum = 0;
    return unused;
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, use, NULL);
        pthread_join(thread, NULL);
    }
    return 0;
}
