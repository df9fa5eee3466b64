/* Neighbouring bytes of one word, each written by its own thread. */
#include "pair.h"

char buffer[16] __attribute__((aligned(16)));

static void *first(void *unused)
{
    for (int i = 0; i < 16; i += 2)
        buffer[i] = 1;
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    for (int i = 1; i < 16; i += 2)
        buffer[i] = 2;
    return unused;
}

int main(void)
{
    pair(first, second);
    return buffer[0] + buffer[1] != 3;
}
