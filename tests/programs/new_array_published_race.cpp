// An array is handed to another thread by a relaxed store, before anybody has written to it: the allocation itself is a write.
#include <atomic>

#include "pair.h"

static std::atomic<int *> published;

static void *first(void *unused)
{
    published.store(new int[20], std::memory_order_relaxed);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    published.load(std::memory_order_relaxed)[19] = 1;
    return unused;
}

int main()
{
    pair(first, second);
}
