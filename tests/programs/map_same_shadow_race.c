/* New memory 2^44 bytes below a variable would have the same shadow (src/shadow/map.h), and make it empty: it
 * is refused, and the race is found. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

#include "unseen.h"

enum { SIZE = 4096 };

int variable;

static void *writer(void *unused)
{
    variable = 1;
    unseen_signal(1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    uintptr_t page = (uintptr_t)&variable & -(uintptr_t)SIZE, window = (uintptr_t)1 << 44;
    pthread_create(&thread, NULL, writer, NULL);
    unseen_wait(1);
    mmap((void *)(page < window ? page + window : page - window), SIZE, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    variable = 2;
    pthread_join(thread, NULL);
    return 0;
}
