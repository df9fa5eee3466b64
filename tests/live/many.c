/* Several races: on three variables; or twice on one; or on every element of an array. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "../programs/unseen.h"

int one, two, three, array[32];
static int repeats, on_one;

static void touch(void)
{
    for (int i = 0; repeats && i < 32; i++)
        array[i] = i;
    if (repeats)
        return;
    if (on_one) {
        one = 1;
        one = 2;
        return;
    }
    one = 1;
    two = 2;
    three = 3;
}

static void *other(void *unused)
{
    touch();
    unseen_signal(1);
    return unused;
}

static void here(void)
{
    if (!on_one)
        return touch();
    one = 1; /* two places, one variable: the second races with the other thread's last write as well */
    unseen_signal(2);
}

static void *third(void *unused)
{
    unseen_wait(2);
    one = 4;
    unseen_signal(3);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t, u;
    repeats = argc > 1 && strcmp(argv[1], "same-stacks") == 0;
    on_one = argc > 1 && strcmp(argv[1], "same-address") == 0;
    pthread_create(&t, NULL, other, NULL);
    unseen_wait(1);
    if (on_one)
        pthread_create(&u, NULL, third, NULL);
    here();
    if (on_one) {
        unseen_wait(3);
        pthread_join(u, NULL);
    }
    pthread_join(t, NULL);
    puts("end");
    return 0;
}
