// A static local variable: its guard is an atomic byte that initialized code reads by itself.
#include <string>
#include <thread>
#include <vector>

static const std::string &name()
{
    static const std::string made = std::string(100, 'x');
    return made;
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([] {
            for (int k = 0; k < 10; k++)
                if (name().size() != 100)
                    throw 1;
        });
    for (auto &t : threads)
        t.join();
}
