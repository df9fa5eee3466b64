/* An access of 16 bytes, and one to the byte behind it. */
#include "pair.h"

typedef int four __attribute__((vector_size(16)));
union {
    four whole;
    char byte[32];
} x;

static void *first(void *unused)
{
    x.whole = (four){1, 2, 3, 4};
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    x.byte[16] = 1;
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
