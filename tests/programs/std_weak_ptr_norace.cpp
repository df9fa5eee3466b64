// Weak pointers that outlive the object, enable_shared_from_this, and a deleter that looks at it.
#include <memory>
#include <thread>
#include <vector>

static int destroyed;

struct node : std::enable_shared_from_this<node> {
    int value[4] = {0, 0, 0, 0};
    std::weak_ptr<node> self()
    {
        return weak_from_this();
    }
};

int main()
{
    for (int round = 0; round < 20; round++) {
        std::shared_ptr<node> first(new node, [](node *n) {
            destroyed += n->value[0] + n->value[1] + n->value[2] + n->value[3];
            delete n;
        });
        std::weak_ptr<node> weak = first->self();
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; i++)
            threads.emplace_back([weak, i, copy = first]() mutable {
                copy->value[i] = 1;
                copy.reset();
                for (int k = 0; k < 10; k++)
                    if (auto still = weak.lock())
                        still->value[i] = 1;
            });
        first.reset();
        for (auto &t : threads)
            t.join();
        if (!weak.expired())
            return 1;
    }
    return destroyed != 80;
}
