// An object is used, and deleted by another thread that is not ordered after the use.
#include <thread>

#include "unseen.h"

struct thing {
    int value[10];
};

int main()
{
    auto *t = new thing;
    std::thread user([t] {
        t->value[4] = 1;
        unseen_signal(1);
    });
    std::thread owner([t] {
        unseen_wait(1);
        delete t;
    });
    user.join();
    owner.join();
}
