// std::barrier: two threads in the same round.
#include <barrier>
#include <thread>

#include "unseen.h"

static std::barrier round_end(2);
int x;

int main()
{
    std::thread a([] {
        round_end.arrive_and_wait();
        x = 1;
        unseen_signal(1);
        round_end.arrive_and_wait();
    });
    round_end.arrive_and_wait();
    unseen_wait(1);
    x = 2;
    round_end.arrive_and_wait();
    a.join();
}
