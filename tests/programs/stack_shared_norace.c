/* Results in variables on the stack of who joins; the frame's memory is used again afterwards. */
#include "pair.h"

static void *child(void *variable)
{
    *(volatile int *)variable = 1;
    return NULL;
}

static __attribute__((noinline)) int round_of_two(void)
{
    volatile int result[2] = {0, 0};
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, child, (void *)&result[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return result[0] + result[1];
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 20; i++)
        sum += round_of_two();
    return sum != 40;
}
