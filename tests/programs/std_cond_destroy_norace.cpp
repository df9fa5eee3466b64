// Condition variables that go as soon as C++ allows it: notified under the mutex, or all who wait were notified.
#include <condition_variable>
#include <mutex>
#include <thread>

static void answered()
{
    std::mutex m;
    std::condition_variable c;
    bool done = false;
    std::thread server([&] {
        std::lock_guard<std::mutex> lock(m);
        done = true;
        c.notify_one();
    });
    {
        std::unique_lock<std::mutex> lock(m);
        c.wait(lock, [&] { return done; });
    }
    server.join();
}

static void notified()
{
    std::mutex m;
    auto *c = new std::condition_variable;
    bool waits = false, go = false;
    std::thread waiter([&] {
        std::unique_lock<std::mutex> lock(m);
        waits = true;
        while (!go)
            c->wait(lock);
    });
    for (bool seen = false; !seen;) {
        std::lock_guard<std::mutex> lock(m);
        seen = waits;
        go = seen;
        if (seen)
            c->notify_all();
    }
    delete c;
    waiter.join();
}

int main()
{
    for (int i = 0; i < 50; i++) {
        answered();
        notified();
    }
}
