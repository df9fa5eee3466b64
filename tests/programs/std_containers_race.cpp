// A std::map read by one thread while another adds to it.
#include <map>
#include <thread>

#include "unseen.h"

static std::map<int, int> table{{1, 1}, {2, 2}};

int main()
{
    std::thread a([] {
        table[3] = 3;
        unseen_signal(1);
    });
    unseen_wait(1);
    int seen = (int)table.count(3);
    a.join();
    return seen != 1;
}
