// Virtual calls of an object by several threads at once, made before them and destroyed after them; the
// destructor of the base class stores the virtual table's address that is there already.
#include <mutex>
#include <thread>

#include "unseen.h"

struct base {
    virtual int what()
    {
        return 1;
    }
    virtual ~base()
    {
    }
};

struct derived : base {
    int what() override
    {
        return 2;
    }
};

__attribute__((noinline)) static int call(base *object)
{
    return object->what();
}

int main()
{
    base *object = new derived, *plain = new base;
    int sum[2];
    std::thread a([&] {
        sum[0] = call(object) + call(plain);
        unseen_signal(1);
    });
    std::thread b([&] {
        unseen_wait(1);
        sum[1] = call(object) + call(plain);
    });
    a.join();
    b.join();
    delete object;
    delete plain;
    return sum[0] != 3 || sum[1] != 3;
}
