/* Memory that a thread accesses atomically, gives back, gets again and accesses atomically again, all before it
 * synchronizes: the second access is no repetition of the first. */
#include <stdlib.h>

#include "threads_together.h"
#include "unseen.h"

static long *shared; /* not seen */

THREAD(first)
{
    long *p = NULL, *before = NULL;
    for (int i = 0; i < 1000 && (p == NULL || p != before); i++) {
        if (p != NULL)
            free(p);
        before = p;
        p = malloc(sizeof *p);
        __atomic_fetch_add(p, 1, __ATOMIC_RELAXED);
    }
    __asm__ volatile("movq %1, %0" : "=m"(shared) : "r"(p) : "memory");
    unseen_signal(1);
    return NULL;
}

THREAD(second)
{
    long *p;
    unseen_wait(1);
    __asm__ volatile("movq %1, %0" : "=r"(p) : "m"(shared) : "memory");
    *p = 2;
    return NULL;
}

int main(void)
{
    run(first, second);
    return 0;
}
