// build: -static-libstdc++
// The C++ library is linked statically: its guards are not behind us to call.
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

static int sum[2], tries;

struct fickle {
    int value = 5;
    fickle()
    {
        if (tries++ == 0)
            throw 1;
    }
};

static void work(int number)
{
    for (;;) {
        try {
            static fickle only;
            sum[number] = only.value + the_thing().value;
            return;
        } catch (int) {
        }
    }
}

int main()
{
    std::thread a(work, 0), b(work, 1);
    a.join();
    b.join();
    return sum[0] + sum[1] != 20;
}
