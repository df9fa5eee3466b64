/* Memory at a fixed address, and other memory 2^44 bytes above it, which would have the same shadow
 * (src/shadow/map.h): the second is refused, or is elsewhere if the program only wishes for that address; and
 * neither races with the other. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

#include "unseen.h"

enum { SIZE = 8192 };
#define WINDOW ((uintptr_t)1 << 44)

static char *first, *second;

static void *writer(void *unused)
{
    first[3] = 1;
    unseen_signal(1);
    return unused;
}

static char *map(char *at, int flags)
{
    return mmap(at, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

int main(void)
{
    pthread_t thread;
    first = map((char *)(2 * WINDOW + WINDOW / 16), MAP_FIXED_NOREPLACE);
    if (first == MAP_FAILED)
        return 0; /* something is there: nothing to see */
    if (map(first + WINDOW, MAP_FIXED) != MAP_FAILED || errno != ENOMEM)
        return 1;
    second = map(first + WINDOW, 0);
    if (second == MAP_FAILED || second == first + WINDOW)
        return 2;
    pthread_create(&thread, NULL, writer, NULL);
    unseen_wait(1);
    second[3] = 2;
    pthread_join(thread, NULL);
    if (munmap(first, SIZE) != 0 || map(first, MAP_FIXED) != first)
        return 3;
    return 0;
}
