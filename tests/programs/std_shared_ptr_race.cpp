// The count of a std::shared_ptr is atomic; the pointer itself is not.
#include <memory>
#include <thread>

#include "unseen.h"

static std::shared_ptr<int> shared = std::make_shared<int>(1);

int main()
{
    std::thread a([] {
        std::shared_ptr<int> copy = shared;
        unseen_signal(1);
    });
    unseen_wait(1);
    shared = std::make_shared<int>(2);
    a.join();
}
