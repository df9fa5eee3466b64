// One thread through std::atomic_ref, the other without.
#include <atomic>
#include <thread>

#include "unseen.h"

static int count;

int main()
{
    std::thread a([] {
        std::atomic_ref<int>(count).fetch_add(1);
        unseen_signal(1);
    });
    unseen_wait(1);
    count++;
    a.join();
}
