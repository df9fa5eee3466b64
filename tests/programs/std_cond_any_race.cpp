// Two locks: std::condition_variable_any waits with one, the other thread writes under another.
#include <condition_variable>
#include <mutex>
#include <thread>

#include "unseen.h"

static std::timed_mutex m;
static std::mutex other;
static std::condition_variable_any changed;
static bool ready;
int x;

int main()
{
    std::thread a([] {
        {
            std::lock_guard<std::timed_mutex> guard(m);
            ready = true;
        }
        changed.notify_all();
        std::lock_guard<std::mutex> guard(other);
        x = 1;
        unseen_signal(1);
    });
    {
        std::unique_lock<std::timed_mutex> lock(m);
        changed.wait(lock, [] { return ready; });
        unseen_wait(1);
        x = 2;
    }
    a.join();
}
