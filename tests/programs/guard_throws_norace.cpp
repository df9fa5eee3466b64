// The initialization of a static local variable throws, and another thread tries again.
#include <thread>

static int tries, sum[2];

struct thing {
    int value = 5;
    thing()
    {
        if (tries++ == 0)
            throw 1;
    }
};

static void work(int number)
{
    for (;;) {
        try {
            static thing only;
            sum[number] = only.value;
            return;
        } catch (int) {
        }
    }
}

int main()
{
    std::thread a(work, 0), b(work, 1);
    a.join();
    b.join();
    return sum[0] + sum[1] != 10 || tries != 2;
}
