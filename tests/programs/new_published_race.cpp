// A block is handed to another thread by a relaxed store, before anybody has written to it: the allocation itself is a write.
#include <atomic>

#include "pair.h"

struct object {
    int a[10];
};

static std::atomic<object *> published;

static void *first(void *unused)
{
    published.store(new object, std::memory_order_relaxed);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    published.load(std::memory_order_relaxed)->a[7] = 1;
    return unused;
}

int main()
{
    pair(first, second);
}
