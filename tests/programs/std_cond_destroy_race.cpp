// The well-known mistake: notified after the mutex was given up, by when the condition variable may be gone. The calls come
// from the C++ library.
#include <condition_variable>
#include <mutex>

#include "pair.h"

static std::mutex m;
static std::condition_variable *c;
int done;

static void *first(void *unused)
{
    {
        std::lock_guard<std::mutex> lock(m);
        done = 1;
    }
    c->notify_one();
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    {
        std::unique_lock<std::mutex> lock(m);
        c->wait(lock, [] { return done != 0; });
    }
    delete c;
    return unused;
}

int main()
{
    c = new std::condition_variable;
    pair(first, second);
}
