/* Pages that go from thread to thread under a lock, as a whole and in parts: what stands for many words is broken up, and
 * stands for them again (src/shadow/uniform.h). */
#include <string.h>

#include "pair.h"

enum { INTS = 4 * 4096 / sizeof(int), ROUNDS = 200 };

int pages[INTS] __attribute__((aligned(4096))), copy[2][INTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(int me)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        if (i % 3 == 0)
            memset(pages, i, sizeof pages);
        if (i % 4 == 1)
            memcpy(copy[me], pages, sizeof pages);
        if (i % 5 == me)
            pages[(i * 97 + me) % INTS]++;
        if (i % 7 == 0)
            memset((char *)pages + 4096 * (i % 4), me, 4096);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *first(void *nothing)
{
    (void)nothing;
    return work(0);
}

static void *second(void *nothing)
{
    (void)nothing;
    return work(1);
}

int main(void)
{
    pair(first, second);
    return 0;
}
