// std::jthread joins when it is destroyed; request_stop() happens before what its thread sees of it.
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

static int before_stop, result, by_callback;

int main()
{
    {
        std::jthread worker([](std::stop_token stop) {
            while (!stop.stop_requested())
                std::this_thread::yield();
            result = before_stop + 1;
        });
        std::stop_callback callback(worker.get_stop_token(), [] { by_callback = before_stop; });
        before_stop = 1;
        worker.request_stop();
    }
    std::mutex m;
    std::condition_variable_any changed;
    std::jthread waiter([&](std::stop_token stop) {
        std::unique_lock<std::mutex> lock(m);
        changed.wait(lock, stop, [] { return false; });
        result += before_stop;
    });
    before_stop = 2;
    waiter.request_stop();
    waiter.join();
    return result != 4 || by_callback != 1;
}
