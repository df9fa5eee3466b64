// std::lock and std::try_lock over several kinds of mutexes, adopted and deferred.
#include <mutex>
#include <thread>

static std::mutex a;
static std::recursive_mutex b;
static std::timed_mutex c;
static int x;

static void work()
{
    for (int i = 0; i < 200; i++) {
        if (i % 2) {
            std::lock(a, b, c);
        } else {
            while (std::try_lock(c, a, b) != -1)
                std::this_thread::yield();
        }
        std::unique_lock<std::mutex> first(a, std::adopt_lock);
        std::lock_guard<std::recursive_mutex> second(b, std::adopt_lock);
        std::unique_lock<std::timed_mutex> third(c, std::adopt_lock);
        x++;
        third.unlock();
        std::unique_lock<std::timed_mutex> later(c, std::defer_lock);
        later.lock();
        x++;
    }
}

int main()
{
    std::thread t(work), u(work);
    t.join();
    u.join();
    return x != 800;
}
