// std::atomic_flag: as a spin lock, with test(), wait() and notify.
#include <atomic>
#include <thread>

static std::atomic_flag lock, done;
static int x;

static void add()
{
    for (int i = 0; i < 300; i++) {
        while (lock.test_and_set(std::memory_order_acquire))
            lock.wait(true, std::memory_order_relaxed);
        x++;
        lock.clear(std::memory_order_release);
        lock.notify_one();
    }
}

int main()
{
    std::thread a(add), b(add);
    std::thread c([] {
        done.wait(false);
        x = done.test() ? x + 1 : 0;
    });
    a.join();
    b.join();
    done.test_and_set();
    done.notify_all();
    c.join();
    return x != 601;
}
