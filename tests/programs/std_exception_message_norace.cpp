// Copies of an exception share its message: the last copy destroys that, whichever thread has it.
#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>

#include "unseen.h"

static int sum[2];

struct signal_at_end {
    ~signal_at_end()
    {
        unseen_signal(1);
    }
};

static std::runtime_error keep(const std::exception_ptr &held)
{
    std::runtime_error kept("another message, which is replaced");
    try {
        std::rethrow_exception(held);
    } catch (const std::runtime_error &e) {
        kept = e;
    }
    return kept;
}

int main()
{
    auto held = std::make_exception_ptr(std::runtime_error("a message that is longer than any small string"));
    std::thread a([held]() mutable {
        signal_at_end at_end; // after everything else here is destroyed
        std::runtime_error kept = keep(held);
        held = nullptr;
        sum[0] += kept.what()[3];
    });
    std::thread b([held]() mutable {
        std::runtime_error kept = keep(held);
        held = nullptr;
        unseen_wait(1);
        sum[1] += kept.what()[4]; // and its end destroys the message
    });
    held = nullptr;
    a.join();
    b.join();
    return sum[0] + sum[1] == 0;
}
