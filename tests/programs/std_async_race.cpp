// std::async: its result has not been asked for yet.
#include <future>

#include "unseen.h"

int x;

int main()
{
    auto later = std::async(std::launch::async, [] {
        x = 1;
        unseen_signal(1);
    });
    unseen_wait(1);
    x = 2;
    later.get();
}
