// std::atomic::wait with relaxed loads orders nothing.
#include <atomic>
#include <thread>

static std::atomic<int> flag;
int x;

int main()
{
    std::thread a([] {
        x = 1;
        flag.store(1, std::memory_order_relaxed);
        flag.notify_all();
    });
    flag.wait(0, std::memory_order_relaxed);
    int seen = x;
    a.join();
    return seen < 0;
}
