// A reference count with relaxed decrements: the object is deleted unordered with its last use by the other
// thread.
#include <atomic>
#include <thread>

#include "unseen.h"

struct object {
    std::atomic<int> references{1};
    int value = 0, seen[2] = {0, 0};
};

static void use(object *o, int which)
{
    o->seen[which] = o->value + 1;
}

static void drop(object *o)
{
    if (o->references.fetch_sub(1, std::memory_order_relaxed) == 1)
        delete o;
}

int main()
{
    object *o = new object;
    o->references.fetch_add(1, std::memory_order_relaxed);
    std::thread other([o] {
        use(o, 1);
        drop(o);
        unseen_signal(1);
    });
    use(o, 0);
    unseen_wait(1);
    drop(o);
    other.join();
}
