// After the exception the lock is not held any more.
#include <mutex>
#include <stdexcept>
#include <thread>

#include "unseen.h"

static std::mutex m;
int x;

__attribute__((noinline)) static void fail()
{
    std::lock_guard<std::mutex> lock(m);
    throw std::runtime_error("always");
}

int main()
{
    std::thread a([] {
        try {
            fail();
        } catch (const std::runtime_error &) {
            x = 1;
        }
        unseen_signal(1);
    });
    std::thread b([] {
        unseen_wait(1);
        std::lock_guard<std::mutex> lock(m);
        x = 2;
    });
    a.join();
    b.join();
}
