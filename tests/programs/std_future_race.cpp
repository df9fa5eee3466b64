// What a promise's thread does after set_value is not ordered with get().
#include <future>
#include <thread>

#include "unseen.h"

int x;

int main()
{
    std::promise<int> promise;
    std::thread a([&promise] {
        promise.set_value(1);
        x = 1;
        unseen_signal(1);
    });
    int got = promise.get_future().get();
    unseen_wait(1);
    x = 2;
    a.join();
    return got != 1;
}
