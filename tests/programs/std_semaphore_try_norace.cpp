// std::binary_semaphore with try_acquire and its timed forms.
#include <chrono>
#include <semaphore>
#include <thread>

using namespace std::chrono_literals;

static std::binary_semaphore one(1);
static int x;

static void work()
{
    for (int i = 0; i < 300; i++) {
        if (i % 3 == 0)
            one.acquire();
        else if (i % 3 == 1)
            while (!one.try_acquire_for(1h))
                continue;
        else
            while (!one.try_acquire())
                std::this_thread::yield();
        x++;
        one.release();
    }
}

int main()
{
    std::thread a(work), b(work);
    a.join();
    b.join();
    return x != 600;
}
