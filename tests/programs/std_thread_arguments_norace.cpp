// What a std::thread is given is copied into it, with everything that belongs to it; detached threads, too.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> done;

static void work(std::string text, std::unique_ptr<int> number, std::shared_ptr<std::vector<int>> shared,
                 int &out)
{
    out = (int)text.size() + *number + (int)shared->size();
    shared.reset();
    done.fetch_add(1);
}

int main()
{
    auto shared = std::make_shared<std::vector<int>>(7);
    int out[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; i++)
        std::thread(work, std::string(40, 'x'), std::make_unique<int>(i), shared, std::ref(out[i])).detach();
    shared.reset();
    while (done.load() < 4)
        std::this_thread::yield();
    return out[0] + out[1] + out[2] + out[3] != 4 * 47 + 6;
}
