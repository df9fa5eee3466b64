// Two threads that catch the same exception object, and write to it.
#include <exception>
#include <stdexcept>
#include <thread>

#include "unseen.h"

struct failure : std::runtime_error {
    int number = 0;
    failure() : std::runtime_error("failed")
    {
    }
};

int main()
{
    std::exception_ptr held;
    try {
        throw failure();
    } catch (...) {
        held = std::current_exception();
    }
    std::thread a([held] {
        try {
            std::rethrow_exception(held);
        } catch (failure &f) {
            f.number = 1;
            unseen_signal(1);
            unseen_wait(2);
        }
    });
    try {
        std::rethrow_exception(held);
    } catch (failure &f) {
        unseen_wait(1);
        f.number = 2;
        unseen_signal(2);
    }
    a.join();
}
