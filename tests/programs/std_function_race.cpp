// A std::function that is replaced while another thread calls it.
#include <functional>
#include <thread>

#include "unseen.h"

static std::function<int(int)> handler = [](int v) { return v; };

int main()
{
    std::thread a([] {
        handler(1);
        unseen_signal(1);
    });
    unseen_wait(1);
    handler = [](int v) { return v + 1; };
    a.join();
}
