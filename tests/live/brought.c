/* A library that an allocator brings along, for allocators_test.sh: it has a lock, a pipe and something that is done once,
 * as libunwind has, which tcmalloc asks for call stacks. */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int ends[2];

static void begin(void)
{
    if (pipe(ends) != 0 || write(ends[1], "", 1) != 1)
        _exit(70);
}

void brought(void);
void brought(void)
{
    char byte;
    pthread_once(&once, begin);
    pthread_mutex_lock(&lock);
    if (read(ends[0], &byte, 1) != 1)
        _exit(70);
    pthread_mutex_unlock(&lock);
    if (write(ends[1], "", 1) != 1)
        _exit(70);
}
