// A memory pool of the library's that all threads share: what one gives back, another gets.
#include <atomic>
#include <memory_resource>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::pmr::synchronized_pool_resource pool;
static std::mutex m;
static std::vector<std::pmr::vector<int>> handed;

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([i] {
            for (int k = 0; k < 50; k++) {
                std::pmr::vector<int> mine(10 + k, i, &pool);
                std::pmr::string text("a text that is too long to be small", &pool);
                mine[k % 10] += (int)text.size();
                std::lock_guard<std::mutex> guard(m);
                if (handed.size() > 3)
                    handed.erase(handed.begin());
                handed.push_back(std::move(mine));
            }
        });
    for (auto &t : threads)
        t.join();
    return handed.size() > 4;
}
