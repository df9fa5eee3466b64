// What the destructor of a thread_local object did is there after join.
#include <thread>

static int x;

struct last_word {
    int used = 0;
    ~last_word()
    {
        x++;
    }
};

static thread_local last_word word;

int main()
{
    for (int i = 0; i < 10; i++) {
        std::thread t([] { word.used = 1; });
        t.join();
        x++;
    }
    return x != 20;
}
