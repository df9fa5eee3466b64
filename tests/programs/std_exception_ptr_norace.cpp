// The last of several threads that hold an exception destroys it; none is ordered with another but by its
// count.
#include <exception>
#include <stdexcept>
#include <thread>
#include <vector>

struct failure : std::runtime_error {
    std::vector<int> value;
    failure() : std::runtime_error("failed"), value(10, 1)
    {
    }
};

static int sums[4];

static void look(std::exception_ptr held, int number)
{
    try {
        std::rethrow_exception(held);
    } catch (const failure &f) {
        for (int v : f.value)
            sums[number] += v;
    }
}

int main()
{
    for (int round = 0; round < 20; round++) {
        std::exception_ptr held;
        try {
            throw failure();
        } catch (...) {
            held = std::current_exception();
        }
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; i++)
            threads.emplace_back(look, held, i);
        held = nullptr;
        for (auto &t : threads)
            t.join();
    }
    return sums[0] + sums[1] + sums[2] + sums[3] != 20 * 40;
}
