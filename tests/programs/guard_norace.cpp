// A static local variable is initialized once, and whoever comes by sees it initialized.
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

static int sum[3];

int main()
{
    std::thread a([] { sum[0] = the_thing().value; }), b([] { sum[1] = the_thing().value; });
    sum[2] = the_thing().value;
    a.join();
    b.join();
    return sum[0] + sum[1] + sum[2] != 15;
}
