// std::scoped_lock over two mutexes, and an access after its scope.
#include <mutex>
#include <thread>

#include "unseen.h"

static std::mutex m, n;
int x;

int main()
{
    std::thread a([] {
        {
            std::scoped_lock both(m, n);
        }
        x = 1;
        unseen_signal(1);
    });
    unseen_wait(1);
    {
        std::scoped_lock both(n, m);
        x = 2;
    }
    a.join();
}
