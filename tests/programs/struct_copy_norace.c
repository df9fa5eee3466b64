/* Structures next to each other, of an odd size, are copied by two threads. */
#include "pair.h"

struct box {
    char name[41];
};
struct box from, to[2];

static void *first(void *unused)
{
    for (int i = 0; i < 100; i++)
        to[0] = from;
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    for (int i = 0; i < 100; i++)
        to[1] = from;
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
