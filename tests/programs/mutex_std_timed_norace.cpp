// std::timed_mutex and std::recursive_timed_mutex, with a time to try and a time to stop trying.
#include <chrono>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

static int x, y;
static std::timed_mutex m;
static std::recursive_timed_mutex r;

static void work()
{
    for (int i = 0; i < 500; i++) {
        if (m.try_lock_for(1h)) {
            x++;
            m.unlock();
        }
        if (m.try_lock_until(std::chrono::system_clock::now() + 1h)) {
            x++;
            m.unlock();
        }
        if (r.try_lock_for(1h)) {
            r.lock();
            y++;
            r.unlock();
            r.unlock();
        }
    }
}

int main()
{
    std::thread a(work), b(work);
    a.join();
    b.join();
    return x != 2000 || y != 1000;
}
