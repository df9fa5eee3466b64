// std::condition_variable_any with a shared lock, and at a thread's exit.
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex m;
static std::condition_variable_any changed;
static bool ready;
static int x, y;
static std::mutex plain;
static std::condition_variable at_exit;
static bool ended;

int main()
{
    std::thread reader([] {
        std::shared_lock<std::shared_mutex> lock(m);
        changed.wait(lock, [] { return ready; });
        y = x;
    });
    {
        std::unique_lock<std::shared_mutex> lock(m);
        x = 1;
        ready = true;
    }
    changed.notify_all();
    reader.join();
    std::thread last([] {
        std::unique_lock<std::mutex> lock(plain);
        ended = true;
        x = 2;
        std::notify_all_at_thread_exit(at_exit, std::move(lock));
    });
    last.detach();
    std::unique_lock<std::mutex> lock(plain);
    at_exit.wait(lock, [] { return ended; });
    return y != 1 || x != 2;
}
