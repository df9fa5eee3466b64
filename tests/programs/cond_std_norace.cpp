// std::condition_variable and std::condition_variable_any: a queue between two threads.
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

static std::mutex m;
static std::condition_variable full;
static std::condition_variable_any empty;
static std::deque<int> queue;
static long sum;

int main()
{
    std::thread producer([] {
        for (int i = 1; i <= 300; i++) {
            std::unique_lock<std::mutex> lock(m);
            empty.wait(lock, [] { return queue.size() < 3; });
            queue.push_back(i);
            full.notify_one();
        }
    });
    std::thread consumer([] {
        for (int i = 1; i <= 300; i++) {
            std::unique_lock<std::mutex> lock(m);
            if (i % 2)
                full.wait(lock, [] { return !queue.empty(); });
            else if (!full.wait_for(lock, 1h, [] { return !queue.empty(); }))
                return;
            sum += queue.front();
            queue.pop_front();
            empty.notify_one();
        }
    });
    producer.join();
    consumer.join();
    return sum != 300 * 301 / 2;
}
