/* A static local variable that one thread constructs, and the main thread destroys when the program exits. */
#include <pthread.h>

#include "unseen.h"

struct counted {
    int value;
    explicit counted(int first) : value(first) {}
    ~counted() { value = 0; }
};

static void *worker(void *unused)
{
    static counted only(1);
    unseen_signal(1);
    return unused;
}

int main()
{
    pthread_t thread;
    pthread_create(&thread, nullptr, worker, nullptr);
    pthread_detach(thread);
    unseen_wait(1);
}
