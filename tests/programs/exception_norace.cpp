// Locks that are given up because an exception leaves their scope.
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex m;
static int x;

__attribute__((noinline)) static void add(int i)
{
    std::lock_guard<std::mutex> lock(m);
    x++;
    if (i % 2)
        throw std::runtime_error("odd");
}

static void work()
{
    for (int i = 0; i < 100; i++)
        try {
            add(i);
        } catch (const std::runtime_error &) {
        }
}

int main()
{
    std::thread a(work), b(work);
    a.join();
    b.join();
    return x != 200;
}
