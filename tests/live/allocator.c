/* An allocator with one lock around everything, for allocators_test.sh: glibc's does the work. It gives out
 * ALLOCATOR_RARE bytes only after allocator_rare was set, and raises allocator_signal while it holds the lock. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

enum { ALLOCATOR_RARE = 12345 };
int allocator_rare, allocator_signal;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long calls; /* under the lock: an alarm about it is a false one */

#ifdef BROUGHT
void brought(void); /* brought.c: of another library */
#else
#define brought() (void)0
#endif

static void begin(void)
{
    brought();
    pthread_mutex_lock(&lock);
    calls++;
}

static void end(void)
{
    calls++;
    pthread_mutex_unlock(&lock);
}

void *malloc(size_t size)
{
    begin();
    int number = allocator_signal;
    allocator_signal = 0;
    if (number != 0)
        raise(number);
    void *block = size != ALLOCATOR_RARE || allocator_rare ? __libc_malloc(size) : NULL;
    end();
    return block;
}

void *calloc(size_t count, size_t size)
{
    begin();
    void *block = __libc_calloc(count, size);
    end();
    return block;
}

void *realloc(void *block, size_t size)
{
    begin();
    block = __libc_realloc(block, size);
    end();
    return block;
}

void *memalign(size_t alignment, size_t size)
{
    begin();
    void *block = __libc_memalign(alignment, size);
    end();
    return block;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size)
{
    void *block = memalign(alignment, size);
    if (block == NULL)
        return ENOMEM;
    *result = block;
    return 0;
}

void free(void *block)
{
    begin();
    __libc_free(block);
    end();
}
