// Static local variables in a template and an inline function, whose initializers use each other.
#include <map>
#include <string>
#include <thread>
#include <vector>

template <class T> static std::vector<T> &table()
{
    static std::vector<T> values(10, T(1));
    return values;
}

inline std::map<std::string, int> &names()
{
    static std::map<std::string, int> map{{"one", table<int>()[0]}, {"two", 2}};
    return map;
}

static int sums[4];

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back(
            [i] { sums[i] = names().at("one") + names().at("two") + (int)table<long>()[i]; });
    for (auto &t : threads)
        t.join();
    return sums[0] + sums[1] + sums[2] + sums[3] != 16;
}
