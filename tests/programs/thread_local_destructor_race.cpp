// The destructor of a thread_local object runs in the thread that ends, and is checked.
#include <thread>

#include "unseen.h"

int x;

struct last_word {
    int used = 0;
    ~last_word()
    {
        unseen_wait(1);
        x = 1;
    }
};

static thread_local last_word word;

int main()
{
    std::thread a([] { word.used = 1; });
    std::thread b([] {
        x = 2;
        unseen_signal(1);
    });
    a.join();
    b.join();
}
