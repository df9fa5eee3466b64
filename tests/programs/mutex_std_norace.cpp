// The mutexes of the C++ library and what locks them.
#include <mutex>
#include <thread>

static int x, y;
static std::mutex m, n;
static std::recursive_mutex r;

static void work()
{
    for (int i = 0; i < 500; i++) {
        {
            std::lock_guard<std::mutex> guard(m);
            x++;
        }
        {
            std::scoped_lock both(n, m);
            x++;
            std::unique_lock<std::recursive_mutex> outer(r), inner(r);
            inner.unlock();
            y++;
        }
        std::unique_lock<std::mutex> perhaps(m, std::try_to_lock);
        if (perhaps)
            x++;
    }
}

int main()
{
    std::thread a(work), b(work);
    a.join();
    b.join();
    return x < 2000 || y != 1000;
}
