// Two owners of one object write to it.
#include <memory>
#include <thread>

#include "unseen.h"

int main()
{
    auto shared = std::make_shared<int>(1);
    std::thread a([copy = shared] {
        *copy = 2;
        unseen_signal(1);
    });
    unseen_wait(1);
    *shared = 3;
    a.join();
}
