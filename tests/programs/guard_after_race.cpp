// What a thread does to a static local variable after its initialization is not covered by it.
#include <thread>

#include "unseen.h"

int five = 5;

struct thing {
    int value;
    thing() : value(five) {}
};

static thing &the_thing()
{
    static thing only;
    return only;
}

int main()
{
    std::thread a([] {
        the_thing().value = 6;
        unseen_signal(1);
    });
    std::thread b([] {
        unseen_wait(1);
        the_thing().value = 7;
    });
    a.join();
    b.join();
    return the_thing().value == 0;
}
