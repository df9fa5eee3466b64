// A std::recursive_mutex that was given up as often as it was taken.
#include <mutex>
#include <thread>

#include "unseen.h"

static std::recursive_mutex m;
int x;

int main()
{
    std::thread a([] {
        m.lock();
        m.lock();
        m.unlock();
        m.unlock();
        x = 1;
        unseen_signal(1);
    });
    unseen_wait(1);
    m.lock();
    x = 2;
    m.unlock();
    a.join();
}
