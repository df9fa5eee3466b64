/* C++20: a relaxed store ends the release sequence even if the thread that heads it makes it. */
#include <atomic>

#include "threads_together.h"
#include "unseen.h"

static std::atomic<int> x;
static int data;

THREAD(writer)
{
    data = 42;
    x.store(1, std::memory_order_release);
    x.store(2, std::memory_order_relaxed);
    unseen_signal(1);
    return nullptr;
}

THREAD(reader)
{
    unseen_wait(1);
    if (x.load(std::memory_order_acquire) == 2)
        return data == 42 ? nullptr : &data;
    return nullptr;
}

int main()
{
    run(writer, reader);
    return 0;
}
