/* A plain write to the last byte of a 16-byte atomic variable. */
/* build: -mcx16 */
#include "threads_together.h"
#include "unseen.h"

static union {
    unsigned __int128 x;
    char plain[16];
} u;

THREAD(first)
{
    __atomic_fetch_add(&u.x, 1, __ATOMIC_SEQ_CST);
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    *(volatile char *)&u.plain[15] = 2;
    return NULL;
}

int main(void)
{
    run(first, second);
    return 0;
}
