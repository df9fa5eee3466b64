/* Bit-fields next to each other are one memory location: writing either writes both. */
#include "pair.h"

struct flags {
    unsigned first : 3, second : 5;
};
struct flags flags;

static void *first(void *unused)
{
    flags.first = 1;
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    flags.second = 1;
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
