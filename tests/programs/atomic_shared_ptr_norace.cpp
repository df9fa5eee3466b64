// std::shared_ptr copied and dropped by several threads; the last one destroys the object.
#include <memory>
#include <thread>
#include <vector>

struct object {
    std::vector<int> value = std::vector<int>(100, 1);
    int own[3] = {0, 0, 0};
};

int main()
{
    for (int round = 0; round < 20; round++) {
        auto shared = std::make_shared<object>();
        std::weak_ptr<object> weak = shared;
        std::vector<std::thread> threads;
        for (int i = 0; i < 3; i++)
            threads.emplace_back([copy = shared, weak, i]() mutable {
                auto another = copy;
                another->own[i] = another->value[i];
                another.reset();
                copy.reset();
                if (auto still = weak.lock())
                    (void)still->value[i];
            });
        shared.reset();
        for (auto &t : threads)
            t.join();
        if (!weak.expired())
            return 1;
    }
}
