// A spin lock of std::atomic_flag whose unlock is relaxed.
#include <atomic>
#include <thread>

#include "unseen.h"

static std::atomic_flag lock;
int x;

static void add()
{
    while (lock.test_and_set(std::memory_order_acquire))
        std::this_thread::yield();
    x++;
    lock.clear(std::memory_order_relaxed);
}

int main()
{
    std::thread a([] {
        add();
        unseen_signal(1);
    });
    unseen_wait(1);
    add();
    a.join();
}
