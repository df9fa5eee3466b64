// std::atomic_ref: atomic for as long as all use it that way, plain before and after.
#include <atomic>
#include <thread>

struct pair {
    int a, b;
};

static int count, payload;
static double sum;
static pair both;

static void work()
{
    for (int i = 0; i < 200; i++) {
        std::atomic_ref<int>(count).fetch_add(1, std::memory_order_relaxed);
        std::atomic_ref<double>(sum).fetch_add(1.0);
        pair old = std::atomic_ref<pair>(both).load();
        while (!std::atomic_ref<pair>(both).compare_exchange_weak(old, {old.a + 1, old.b + 2}))
            continue;
    }
}

int main()
{
    count = 1;
    std::thread a(work), b(work);
    a.join();
    b.join();
    int flag = 0;
    std::thread c([&flag] {
        payload = 1;
        std::atomic_ref<int>(flag).store(1, std::memory_order_release);
    });
    while (std::atomic_ref<int>(flag).load(std::memory_order_acquire) == 0)
        std::this_thread::yield();
    int seen = payload;
    c.join();
    return count != 401 || sum != 400 || both.a != 400 || both.b != 800 || seen != 1 || flag != 1;
}
