// One thread initializes a static local variable, and another uses it later with nothing else between them.
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

static int sum;

int main()
{
    std::thread a([] {
        the_thing().value++;
        unseen_signal(1);
    });
    a.join();
    std::thread b([] {
        unseen_wait(1);
        sum = the_thing().value;
    });
    b.join();
    return sum != 6;
}
