/* Bit-fields with one of no width between them are two memory locations. */
#include "pair.h"

struct flags {
    unsigned char first : 3;
    unsigned char : 0;
    unsigned char second : 5;
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
    return flags.first != 1 || flags.second != 1;
}
