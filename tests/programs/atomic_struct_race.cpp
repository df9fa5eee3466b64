// An atomic structure of 12 bytes: a relaxed load of it acquires nothing.
#include <atomic>
#include <thread>

#include "unseen.h"

struct triple {
    int a, b, c;
};

static std::atomic<triple> shared;
int data;

int main()
{
    std::thread writer([] {
        data = 1;
        shared.store(triple{1, 2, 3}, std::memory_order_release);
        unseen_signal(1);
    });
    std::thread reader([] {
        unseen_wait(1);
        if (shared.load(std::memory_order_relaxed).a == 1)
            data = 2;
    });
    writer.join();
    reader.join();
}
