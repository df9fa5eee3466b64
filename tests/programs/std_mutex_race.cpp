// Two std::mutexes: each thread holds another one.
#include <mutex>
#include <thread>

#include "unseen.h"

static std::mutex m, n;
int x;

int main()
{
    std::thread a([] {
        std::lock_guard<std::mutex> guard(m);
        x = 1;
        unseen_signal(1);
    });
    unseen_wait(1);
    {
        std::unique_lock<std::mutex> guard(n);
        x = 2;
    }
    a.join();
}
