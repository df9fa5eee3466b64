// A std::jthread that has not been joined yet.
#include <thread>

#include "unseen.h"

int x;

int main()
{
    std::jthread worker([] {
        x = 1;
        unseen_signal(1);
    });
    unseen_wait(1);
    x = 2;
}
