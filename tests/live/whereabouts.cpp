// Whose stacks and names are hard to come by: a std::thread that is created in inlined code, mapped memory, a
// lock that is first locked for reading.
#include <fcntl.h>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

#include "../programs/unseen.h"

static int *memory;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void write_first()
{
    pthread_rwlock_rdlock(&lock);
    memory[5] = 1;
    pthread_rwlock_unlock(&lock);
    unseen_signal(1);
}

static void start_and_write()
{
    std::thread thread(write_first);
    unseen_wait(1);
    memory[5] = 2;
    thread.join();
}

int main(int argc, char **argv)
{
    int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
    if (fd >= 0 && ftruncate(fd, 4096) != 0)
        return 2;
    memory = (int *)mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                         fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
    start_and_write();
}
