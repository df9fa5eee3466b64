// A write under std::shared_lock.
#include <shared_mutex>
#include <thread>

#include "unseen.h"

static std::shared_mutex m;
int x;

int main()
{
    std::thread a([] {
        std::shared_lock<std::shared_mutex> reader(m);
        x = 1;
        unseen_signal(1);
    });
    unseen_wait(1);
    {
        std::shared_lock<std::shared_mutex> reader(m);
        x = 2;
    }
    a.join();
}
