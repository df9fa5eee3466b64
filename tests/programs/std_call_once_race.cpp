// std::call_once orders what its function did, not what the thread did afterwards.
#include <mutex>
#include <thread>

#include "unseen.h"

static std::once_flag flag;
int x, y;

int main()
{
    std::thread a([] {
        std::call_once(flag, [] { x = 1; });
        y = 1;
        unseen_signal(1);
    });
    unseen_wait(1);
    std::call_once(flag, [] { x = 2; });
    y += x;
    a.join();
}
