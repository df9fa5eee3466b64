/* A known number of accesses, locks and bytes, for the library that counts. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int number;
static volatile char text[64];

int main(void)
{
    for (int i = 0; i < 1000; i++) /* of which the first is not in the same epoch */
        number = i;
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < 64; i++)
        text[i] = 1;
    return 0;
}
