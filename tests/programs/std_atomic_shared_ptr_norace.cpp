// std::atomic<std::shared_ptr>, and the older functions for it: whoever gets the pointer sees the whole
// object. (Not load(): in libstdc++ 12 that gives up the lock inside with a relaxed operation, which is a
// race with the next store.)
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

using numbers = std::shared_ptr<std::vector<int>>;

static std::atomic<numbers> current(std::make_shared<std::vector<int>>(3, 1));
static numbers older = std::make_shared<std::vector<int>>(3, 1);

static int work(int base)
{
    int bad = 0;
    for (int i = 0; i < 100; i++) {
        numbers seen = current.exchange(std::make_shared<std::vector<int>>(3, base + i));
        bad += (*seen)[0] != (*seen)[2];
        std::atomic_store(&older, seen);
        seen = std::atomic_load(&older);
        bad += (*seen)[0] != (*seen)[2];
    }
    return bad;
}

int main()
{
    int bad = 0;
    std::thread other([&bad] { bad = work(1000); });
    int own = work(0);
    other.join();
    return bad + own;
}
