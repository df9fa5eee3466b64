// A detached std::thread: nothing orders its end with anything.
#include <thread>

#include "unseen.h"

int x;

int main()
{
    std::thread([] {
        x = 1;
        unseen_signal(1);
    }).detach();
    unseen_wait(1);
    return x - 1;
}
