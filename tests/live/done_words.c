/* A copy of three words, of which the first is new and the others were read before in the same epoch; the second has
 * bytes that were written at different times. Another thread then writes the first: its report must know the copy. */
#include <pthread.h>
#include <stdint.h>

#include "../programs/unseen.h"

struct three {
    char byte[12];
};

static char memory[64] __attribute__((aligned(64)));
struct three copied;
volatile uint32_t sink;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void synchronize(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void copies(void)
{
    copied = *(struct three *)(memory + 16);
}

static void *reader(void *unused)
{
    unseen_wait(1);
    synchronize();
    sink = *(volatile uint32_t *)(memory + 20);
    sink = *(volatile uint32_t *)(memory + 24);
    copies();
    unseen_signal(2);
    unseen_wait(3);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    *(volatile char *)(memory + 20) = 1;
    synchronize();
    *(volatile char *)(memory + 22) = 1;
    synchronize();
    unseen_signal(1);
    unseen_wait(2);
    *(volatile uint32_t *)(memory + 16) = 7;
    unseen_signal(3);
    pthread_join(thread, NULL);
    return 0;
}
