// std::call_once, with an initializer that throws the first time.
#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag flag;
static int tries, x, sum[2];

static void initialize(int value)
{
    if (tries++ == 0)
        throw std::runtime_error("not yet");
    x = value;
}

static void work(int number)
{
    for (;;) {
        try {
            std::call_once(flag, initialize, 5);
            break;
        } catch (const std::runtime_error &) {
        }
    }
    sum[number] = x;
}

int main()
{
    std::thread a(work, 0), b(work, 1);
    a.join();
    b.join();
    return sum[0] + sum[1] != 10 || tries != 2;
}
