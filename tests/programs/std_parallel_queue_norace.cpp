// A pool of workers, a queue of tasks with their results, and a clean end: what many programs are made of.
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class pool
{
    std::mutex m;
    std::condition_variable changed;
    std::queue<std::function<void()>> tasks;
    bool ending = false;
    std::vector<std::thread> workers;

    void work()
    {
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock<std::mutex> lock(m);
                changed.wait(lock, [this] { return ending || !tasks.empty(); });
                if (tasks.empty())
                    return;
                task = std::move(tasks.front());
                tasks.pop();
            }
            task();
        }
    }

  public:
    explicit pool(int threads)
    {
        for (int i = 0; i < threads; i++)
            workers.emplace_back(&pool::work, this);
    }
    ~pool()
    {
        {
            std::lock_guard<std::mutex> lock(m);
            ending = true;
        }
        changed.notify_all();
        for (auto &w : workers)
            w.join();
    }
    template <class F> auto add(F f) -> std::future<decltype(f())>
    {
        auto task = std::make_shared<std::packaged_task<decltype(f())()>>(std::move(f));
        auto result = task->get_future();
        {
            std::lock_guard<std::mutex> lock(m);
            tasks.emplace([task] { (*task)(); });
        }
        changed.notify_one();
        return result;
    }
};

int main()
{
    std::vector<int> data(100, 1);
    long sum = 0;
    {
        pool workers(3);
        std::vector<std::future<int>> results;
        for (int i = 0; i < 100; i++)
            results.push_back(workers.add([&data, i] {
                data[i] += i;
                return data[i];
            }));
        for (auto &r : results)
            sum += r.get();
    }
    return sum != 100 + 4950;
}
