// A thread's thread_local variable that another one gets a pointer to.
#include <atomic>
#include <thread>

#include "unseen.h"

static thread_local int own;
static std::atomic<int *> shown;

int main()
{
    std::thread a([] {
        shown.store(&own);
        own = 1;
        unseen_signal(1);
        unseen_wait(2);
    });
    unseen_wait(1);
    *shown.load() = 2;
    unseen_signal(2);
    a.join();
}
