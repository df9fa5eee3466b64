// What is done after count_down() is not ordered with wait().
#include <latch>
#include <thread>

#include "unseen.h"

static std::latch ready(1);
int x;

int main()
{
    std::thread a([] {
        ready.count_down();
        x = 1;
        unseen_signal(1);
    });
    ready.wait();
    unseen_wait(1);
    x = 2;
    a.join();
}
