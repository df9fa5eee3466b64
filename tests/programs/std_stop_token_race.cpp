// What a thread does after it has asked another to stop is not ordered with what that does then.
#include <stop_token>
#include <thread>

#include "unseen.h"

int x;

int main()
{
    std::jthread worker([](std::stop_token stop) {
        while (!stop.stop_requested())
            std::this_thread::yield();
        unseen_wait(1);
        x = 1;
    });
    worker.request_stop();
    x = 2;
    unseen_signal(1);
}
