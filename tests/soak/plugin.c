/* A library that comes and goes: code, variables, a lock. */
#include <pthread.h>

int plugin_count;
static int table[1024];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int plugin_work(int n)
{
    pthread_mutex_lock(&lock);
    plugin_count += n;
    for (int i = 0; i < 1024; i++)
        table[i] += n;
    pthread_mutex_unlock(&lock);
    return plugin_count + table[n % 1024];
}
