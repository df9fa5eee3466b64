/* An access with bytes on two pages; another thread writes the last of them, and has read other parts of the
 * second page before, as a third one did. */
#include "pair.h"

enum { PAGE = 4096 };
struct __attribute__((packed)) loose {
    long value;
};
static char memory[2 * PAGE] __attribute__((aligned(PAGE)));
static volatile char sink;

static void *first(void *unused)
{
    ((volatile char *)memory)[0] = 1;
    sink = memory[PAGE + 100];
    unseen_wait(1);
    ((volatile struct loose *)(memory + PAGE - 4))->value = 1;
    unseen_signal(2);
    return unused;
}

static void *second(void *unused)
{
    char seen = ((volatile char *)memory)[PAGE + 200];
    unseen_signal(1);
    unseen_wait(2);
    memory[PAGE + 3] = seen;
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
