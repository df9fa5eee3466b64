// Coroutines that go on in another thread than they began in.
#include <condition_variable>
#include <coroutine>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex m;
static std::condition_variable changed;
static std::deque<std::coroutine_handle<>> ready;
static int left = 8;

struct task {
    struct promise_type {
        task get_return_object()
        {
            return {};
        }
        std::suspend_never initial_suspend()
        {
            return {};
        }
        std::suspend_never final_suspend() noexcept
        {
            return {};
        }
        void return_void()
        {
        }
        void unhandled_exception()
        {
            std::terminate();
        }
    };
};

struct later {
    bool await_ready()
    {
        return false;
    }
    void await_suspend(std::coroutine_handle<> h)
    {
        {
            std::lock_guard<std::mutex> guard(m);
            ready.push_back(h);
        }
        changed.notify_one();
    }
    void await_resume()
    {
    }
};

static long sums[8];

static task work(int number)
{
    long sum = 0;
    for (int i = 0; i < 20; i++) {
        sum += i;
        co_await later();
        sums[number] = sum;
    }
    std::lock_guard<std::mutex> guard(m);
    left--;
    changed.notify_all();
}

static void run()
{
    for (;;) {
        std::coroutine_handle<> next;
        {
            std::unique_lock<std::mutex> lock(m);
            changed.wait(lock, [] { return left == 0 || !ready.empty(); });
            if (ready.empty())
                return;
            next = ready.front();
            ready.pop_front();
        }
        next.resume();
    }
}

int main()
{
    for (int i = 0; i < 8; i++)
        work(i);
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back(run);
    for (auto &t : threads)
        t.join();
    return sums[0] != 190 || sums[7] != 190;
}
