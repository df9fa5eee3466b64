// A std::counting_semaphore with room for two orders nothing between the two.
#include <semaphore>
#include <thread>

#include "unseen.h"

static std::counting_semaphore<2> room(2);
int x;

static void enter(int before)
{
    room.acquire();
    unseen_wait(before);
    x++;
    unseen_signal(before + 1);
    unseen_wait(2);
    room.release();
}

int main()
{
    std::thread a(enter, 0);
    enter(1);
    a.join();
}
