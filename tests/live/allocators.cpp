/* Two threads write a variable, one after the other, with an allocation between the two in each (a race: the
 * allocator's locks order nothing), or with what the program itself does during one (ordered). */
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "../programs/unseen.h"

enum { RARE = 12345 };
extern "C" {
int allocator_rare __attribute__((weak));
int allocator_signal __attribute__((weak));
}

static const char *way;
int shared;
static sem_t posted;
static thread_local void *volatile keep;

static bool is(const char *word)
{
    return std::strcmp(way, word) == 0;
}

/* Of a size that allocators have one place for: threads' own caches do not hold it. */
static void allocate()
{
    const size_t size = size_t(16) << 20;
    void *block = nullptr;
    if (is("malloc"))
        block = std::malloc(size);
    if (is("calloc"))
        block = std::calloc(4, size / 4);
    if (is("realloc"))
        block = std::realloc(std::malloc(size / 2), size);
    if (is("memalign"))
        block = memalign(4096, size);
    if (is("aligned_alloc"))
        block = std::aligned_alloc(4096, size);
    if (is("posix_memalign") && posix_memalign(&block, 4096, size) != 0)
        std::abort();
    if (is("new")) {
        keep = operator new(size);
        operator delete(keep);
    } else if (is("new[]")) {
        keep = new char[size];
        delete[] static_cast<char *>(keep);
    } else if (is("dlsym")) {
        keep = dlsym(RTLD_DEFAULT, "no_such_function");
    } else {
        keep = block;
        std::free(block);
    }
}

static void post(int = 0)
{
    allocator_rare = 1;
    sem_post(&posted);
}

static void post_in_new_handler()
{
    post();
}

static void *first(void *unused)
{
    shared = 1;
    if (is("signal")) {
        allocator_signal = SIGUSR1;
        keep = std::malloc(100);
        std::free(keep);
    } else if (is("new-handler")) {
        keep = operator new(RARE);
        operator delete(keep);
    } else {
        allocate();
    }
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    if (is("signal") || is("new-handler"))
        sem_wait(&posted);
    else
        allocate();
    shared = 2;
    return unused;
}

int main(int, char **argv)
{
    pthread_t a, b;
    way = argv[1];
    sem_init(&posted, 0, 0);
    signal(SIGUSR1, post);
    std::set_new_handler(post_in_new_handler);
    pthread_create(&a, nullptr, first, nullptr);
    pthread_create(&b, nullptr, second, nullptr);
    pthread_join(a, nullptr);
    pthread_join(b, nullptr);
    return 0;
}
