// A std::weak_ptr that is assigned while another thread locks it.
#include <memory>
#include <thread>

#include "unseen.h"

static std::shared_ptr<int> shared = std::make_shared<int>(1);
static std::weak_ptr<int> weak = shared;

int main()
{
    std::thread a([] {
        auto locked = weak.lock();
        unseen_signal(1);
    });
    unseen_wait(1);
    weak.reset();
    a.join();
}
