// A virtual call, while another thread's destructor makes the object one of its base class.
#include <thread>

#include "unseen.h"

struct base {
    virtual int what()
    {
        return 1;
    }
    virtual ~base()
    {
        unseen_signal(1);
        unseen_wait(2);
    }
};

struct derived : base {
    int what() override
    {
        return 2;
    }
    ~derived() override
    {
    }
};

__attribute__((noinline)) static int call(base *object)
{
    return object->what();
}

int main()
{
    base *object = new derived;
    std::thread a([=] { delete object; });
    std::thread b([=] {
        unseen_wait(1);
        call(object);
        unseen_signal(2);
    });
    a.join();
    b.join();
}
