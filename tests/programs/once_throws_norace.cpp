// An initializer that throws, and in another thread one that does not: what the first did, to its last
// destructor, happens before the second.
#include <mutex>
#include <thread>

#include "unseen.h"

static std::once_flag flag;
static int x;

struct last {
    ~last()
    {
        x++;
    }
};

static void first()
{
    try {
        std::call_once(flag, [] {
            last at_the_end;
            x = 1;
            throw 1;
        });
    } catch (int) {
    }
    unseen_signal(1);
}

int main()
{
    std::thread a(first);
    std::thread b([] {
        unseen_wait(1);
        std::call_once(flag, [] { x += 10; });
    });
    a.join();
    b.join();
    return x != 12;
}
