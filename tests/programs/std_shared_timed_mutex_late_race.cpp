// A std::shared_timed_mutex that readers could not have in time.
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "unseen.h"

using namespace std::chrono_literals;

static std::shared_timed_mutex m;
int x;

int main()
{
    std::thread a([] {
        std::unique_lock<std::shared_timed_mutex> writer(m);
        x = 1;
        unseen_signal(1);
        unseen_wait(2);
    });
    unseen_wait(1);
    std::shared_lock<std::shared_timed_mutex> reader(m, 1ms);
    int seen = reader.owns_lock() ? 0 : x;
    unseen_signal(2);
    a.join();
    return seen != 1;
}
