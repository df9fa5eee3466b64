// An exception through a promise: caught, and destroyed, in another thread than it was thrown in.
#include <exception>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

struct failure : std::runtime_error {
    std::shared_ptr<std::string> detail;
    int number;
    explicit failure(int n) : std::runtime_error("failed"), detail(new std::string(40, 'd')), number(n)
    {
    }
};

static int fail(int n)
{
    throw failure(n);
}

int main()
{
    int sum = 0;
    for (int round = 0; round < 20; round++) {
        auto one = std::async(std::launch::async, fail, round);
        std::promise<int> promise;
        std::thread thrower([&promise] {
            try {
                fail(100);
            } catch (failure &f) {
                f.number++;
                promise.set_exception(std::current_exception());
            }
        });
        std::shared_future<int> other = promise.get_future().share();
        std::thread reader([other] {
            try {
                other.get();
            } catch (const failure &f) {
                if (f.number != 101)
                    std::terminate();
            }
        });
        try {
            one.get();
        } catch (const failure &f) {
            sum += f.number + (int)f.detail->size();
        }
        try {
            other.get();
        } catch (const failure &f) {
            sum += f.number;
        }
        other = {};
        thrower.join();
        reader.join();
    }
    return sum != 190 + 20 * 40 + 20 * 101;
}
