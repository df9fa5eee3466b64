// A std::timed_mutex that could not be had in time protects nothing.
#include <chrono>
#include <mutex>
#include <thread>

#include "unseen.h"

using namespace std::chrono_literals;

static std::timed_mutex m;
int x;

int main()
{
    std::thread a([] {
        m.lock();
        x = 1;
        unseen_signal(1);
        unseen_wait(2);
        m.unlock();
    });
    unseen_wait(1);
    bool got = m.try_lock_for(1ms) || m.try_lock_until(std::chrono::steady_clock::now() + 1ms);
    x = 2;
    unseen_signal(2);
    a.join();
    return got;
}
