/* A plain variable next to an atomic one, in the same 8 bytes and in the same 4. */
#include <stdatomic.h>

#include "threads_together.h"
#include "unseen.h"

static struct {
    atomic_int x;
    int b;
    char a, d;
    atomic_char c;
} s;

THREAD(first)
{
    atomic_fetch_add(&s.x, 1);
    atomic_fetch_add(&s.c, 1);
    s.a = 1;
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    s.b = 2;
    s.d = 3;
    atomic_fetch_add(&s.x, 1);
    return NULL;
}

int main(void)
{
    run(first, second);
    return 0;
}
