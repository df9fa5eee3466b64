// A static local variable that is changed after it was initialized.
#include <thread>
#include <vector>

#include "unseen.h"

static std::vector<int> &table()
{
    static std::vector<int> values(3, 1);
    return values;
}

int main()
{
    std::thread a([] {
        table()[1] = 2;
        unseen_signal(1);
    });
    unseen_wait(1);
    int seen = table()[1];
    a.join();
    return seen != 2;
}
