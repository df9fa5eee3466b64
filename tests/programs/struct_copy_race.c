/* A structure is copied whole: its last byte, which another thread writes, too. */
#include "pair.h"

struct box {
    char name[41];
};
struct box from, to;

static void *first(void *unused)
{
    to = from;
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    to.name[40] = 1;
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
