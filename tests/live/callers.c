/* callers: a function is called by two others in one epoch, for memory that is new to it each time; another thread then
 * writes what it was last called for. With `halves`: a thread reads two bytes, and the other writes one. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "../programs/unseen.h"

static long cells[4096];
static uint16_t halves[64];

static __attribute__((noinline)) void put(long *cell)
{
    *cell = 1;
}

static __attribute__((noinline)) void often(long *cell)
{
    put(cell);
    __asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void once(long *cell)
{
    put(cell);
    __asm__ volatile("" ::: "memory");
}

static void *calling(void *nothing)
{
    for (long i = 0; i < 40; i++)
        often(&cells[i * i]);
    once(&cells[50]);
    unseen_signal(1);
    unseen_wait(2);
    return nothing;
}

static void *writing(void *nothing)
{
    unseen_wait(1);
    cells[50] = 2;
    unseen_signal(2);
    return nothing;
}

static void *reading_a_half(void *nothing)
{
    volatile uint16_t *half = &halves[2];
    (void)*half;
    unseen_signal(1);
    unseen_wait(2);
    return nothing;
}

static void *writing_a_byte(void *nothing)
{
    unseen_wait(1);
    *(volatile char *)&halves[2] = 1;
    unseen_signal(2);
    return nothing;
}

int main(int argc, char **argv)
{
    int bytes = argc > 1 && strcmp(argv[1], "halves") == 0;
    pthread_t a, b;
    pthread_create(&a, NULL, bytes ? reading_a_half : calling, NULL);
    pthread_create(&b, NULL, bytes ? writing_a_byte : writing, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
