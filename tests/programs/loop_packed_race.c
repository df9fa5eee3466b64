/* A loop over a member of packed structures: its steps are 6 bytes, and only every other one begins at a word. Another
 * thread writes two bytes of one of them. */
#include "threads_together.h"
#include "unseen.h"

struct __attribute__((packed)) pair {
    int first;
    short second;
};
static struct pair pairs[600] __attribute__((aligned(4096)));

THREAD(reader)
{
    for (int i = 0; i < 600; i++)
        (void)*(volatile int *)&pairs[i];
    unseen_signal(1);
    unseen_wait(2);
    return NULL;
}

THREAD(writer)
{
    unseen_wait(1);
#ifndef NO_RACE
    *(volatile short *)((char *)&pairs[101] + 2) = 1;
#else
    for (int i = 0; i < 600; i++)
        *(volatile short *)((char *)&pairs[i] + 4) = 1;
#endif
    unseen_signal(2);
    return NULL;
}

int main(void)
{
    run(reader, writer);
    return 0;
}
