// std::shared_mutex: many readers or one writer.
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

static std::shared_mutex m;
static int x, y;

static void work(int number)
{
    int seen = 0;
    for (int i = 0; i < 200; i++) {
        if (i % 4 == number) {
            std::unique_lock<std::shared_mutex> writer(m);
            x++;
            y++;
        } else if (i % 2) {
            std::shared_lock<std::shared_mutex> reader(m);
            seen += x - y;
        } else if (m.try_lock_shared()) {
            seen += x - y;
            m.unlock_shared();
        } else if (m.try_lock()) {
            x++;
            y++;
            m.unlock();
        }
    }
    std::lock_guard<std::shared_mutex> writer(m);
    x += seen;
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back(work, i);
    for (auto &t : threads)
        t.join();
    return x != y;
}
