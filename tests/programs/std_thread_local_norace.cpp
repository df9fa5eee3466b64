// thread_local variables: with constructors and destructors, in functions, in classes.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> ended;

struct counter {
    int value = 0;
    std::vector<int> seen;
    ~counter()
    {
        ended += value;
    }
};

static thread_local counter own;

struct holder {
    static thread_local std::string name;
};
thread_local std::string holder::name = std::string(40, 'n');

static int next()
{
    static thread_local int number = 10;
    return number++;
}

static void work(int times)
{
    for (int i = 0; i < times; i++) {
        own.value++;
        own.seen.push_back(next());
        holder::name += 'x';
    }
}

int main()
{
    std::thread a(work, 10), b(work, 20);
    work(3);
    a.join();
    b.join();
    std::thread c(work, 5);
    c.join();
    return ended != 35 || own.value != 3 || holder::name.size() != 43;
}
