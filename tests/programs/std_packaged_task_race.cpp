// A std::packaged_task that is run again after its result was taken.
#include <future>
#include <thread>

#include "unseen.h"

int x;

int main()
{
    std::packaged_task<int()> task([] { return 1; });
    auto result = task.get_future();
    std::thread a([&task] {
        task();
        x = 1;
        unseen_signal(1);
    });
    int got = result.get();
    unseen_wait(1);
    int seen = x;
    a.join();
    return got != 1 || seen != 1;
}
