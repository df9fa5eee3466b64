/* A barrier for nobody is refused; one for a single thread never waits. */
#include <errno.h>

#include "pair.h"

int main(void)
{
    pthread_barrier_t b;
    if (pthread_barrier_init(&b, NULL, 0) != EINVAL)
        return 1;
    pthread_barrier_init(&b, NULL, 1);
    for (int i = 0; i < 10; i++)
        if (pthread_barrier_wait(&b) != PTHREAD_BARRIER_SERIAL_THREAD)
            return 1;
    return pthread_barrier_destroy(&b);
}
