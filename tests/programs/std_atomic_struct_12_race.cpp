// The same, relaxed.
// build: -latomic
#include <atomic>
#include <thread>

struct triple {
    int a, b, c;
};

static std::atomic<triple> state;
int x;

int main()
{
    std::thread writer([] {
        x = 1;
        state.store({1, 2, 3}, std::memory_order_relaxed);
    });
    while (state.load(std::memory_order_relaxed).c != 3)
        std::this_thread::yield();
    int seen = x;
    writer.join();
    return seen < 0;
}
