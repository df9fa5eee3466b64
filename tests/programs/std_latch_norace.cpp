// std::latch: all that was done before count_down() and arrive_and_wait() is there after wait(); try_wait(),
// too.
#include <exception>
#include <latch>
#include <thread>
#include <vector>

enum { THREADS = 4 };

static std::latch ready(THREADS), start(1), all(THREADS + 1);
static int cell[THREADS], given;

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < THREADS; i++)
        threads.emplace_back([i] {
            cell[i] = i;
            ready.count_down();
            start.wait();
            cell[i] += given;
            all.arrive_and_wait();
            if (cell[(i + 1) % THREADS] < given)
                std::terminate();
        });
    ready.wait();
    given = cell[0] + cell[1] + cell[2] + cell[3];
    start.count_down();
    all.count_down();
    while (!all.try_wait())
        std::this_thread::yield();
    for (auto &t : threads)
        t.join();
    return given != 6;
}
