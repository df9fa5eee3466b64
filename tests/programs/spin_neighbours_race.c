/* Two spin locks side by side are two locks. */
#include "pair.h"

int x;
static struct {
    pthread_spinlock_t a, b;
} s;

static void *first(void *unused)
{
    pthread_spin_lock(&s.a);
    x = 1;
    pthread_spin_unlock(&s.a);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    pthread_spin_lock(&s.b);
    x = 2;
    pthread_spin_unlock(&s.b);
    return unused;
}

int main(void)
{
    pthread_spin_init(&s.a, PTHREAD_PROCESS_PRIVATE);
    pthread_spin_init(&s.b, PTHREAD_PROCESS_PRIVATE);
    pair(first, second);
    return 0;
}
