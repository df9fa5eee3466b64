// std::unique_lock with std::try_to_lock that did not get the mutex.
#include <mutex>
#include <thread>

#include "unseen.h"

static std::mutex m;
int x;

int main()
{
    std::thread a([] {
        std::lock_guard<std::mutex> guard(m);
        x = 1;
        unseen_signal(1);
        unseen_wait(2);
    });
    unseen_wait(1);
    {
        std::unique_lock<std::mutex> perhaps(m, std::try_to_lock);
        if (!perhaps)
            x = 2;
    }
    unseen_signal(2);
    a.join();
}
