// std::atomic of a structure of 12 bytes, which is libatomic's: it hands over what was done before.
// build: -latomic
#include <atomic>
#include <thread>

struct triple {
    int a, b, c;
};

static std::atomic<triple> state;
static int x, y;

int main()
{
    std::thread writer([] {
        x = 1;
        state.store({1, 2, 3}, std::memory_order_release);
    });
    while (state.load(std::memory_order_acquire).c != 3)
        std::this_thread::yield();
    int seen = x;
    writer.join();
    std::thread other([] {
        y = 5;
        triple old = state.load();
        while (!state.compare_exchange_strong(old, {old.a + 1, 2, 4}))
            continue;
    });
    triple old;
    do
        old = state.exchange({9, 9, 9});
    while (old.c != 4);
    seen += y;
    other.join();
    return seen != 6;
}
