// std::condition_variable orders nothing by itself: what is done after notify is seen by nobody.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "unseen.h"

static std::mutex m;
static std::condition_variable changed;
static bool ready;
int x;

int main()
{
    std::thread a([] {
        {
            std::lock_guard<std::mutex> guard(m);
            ready = true;
        }
        changed.notify_one();
        x = 1;
        unseen_signal(1);
    });
    {
        std::unique_lock<std::mutex> lock(m);
        changed.wait(lock, [] { return ready; });
    }
    unseen_wait(1);
    x = 2;
    a.join();
}
