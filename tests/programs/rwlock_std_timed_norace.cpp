// std::shared_mutex and std::shared_timed_mutex, shared and alone, with times.
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

using namespace std::chrono_literals;

static int x, y, seen;
static std::shared_timed_mutex timed;
static std::shared_mutex plain;

static void writes()
{
    for (int i = 0; i < 500; i++) {
        if (timed.try_lock_for(1h)) {
            x++;
            timed.unlock();
        }
        if (timed.try_lock_until(std::chrono::system_clock::now() + 1h)) {
            x++;
            timed.unlock();
        }
        std::unique_lock<std::shared_mutex> alone(plain);
        y++;
    }
}

static void reads()
{
    for (int i = 0; i < 500; i++) {
        if (timed.try_lock_shared_for(1h)) {
            seen += x;
            timed.unlock_shared();
        }
        if (timed.try_lock_shared_until(std::chrono::system_clock::now() + 1h)) {
            seen += x;
            timed.unlock_shared();
        }
        std::shared_lock<std::shared_mutex> together(plain);
        seen += y;
    }
}

int main()
{
    std::thread a(writes), b(reads);
    a.join();
    b.join();
    return x != 1000 || y != 500;
}
