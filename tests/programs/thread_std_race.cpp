// Two std::threads and a vector.
#include <thread>
#include <vector>

#include "unseen.h"

static std::vector<int> values(4);

int main()
{
    std::thread a([] {
        values[1] = 1;
        unseen_signal(1);
    });
    std::thread b([] {
        unseen_wait(1);
        values[1] = 2;
    });
    a.join();
    b.join();
}
