/* std::atomic::wait and notify: the waiter acquires what was stored. */
#include <atomic>
#include <cstdlib>
#include <thread>

static std::atomic<int> turn;
static int data;

int main()
{
    std::thread other([] {
        for (int i = 0; i < 100; i++) {
            turn.wait(2 * i);
            data++;
            turn = 2 * i + 2;
            turn.notify_one();
        }
    });
    for (int i = 0; i < 100; i++) {
        data++;
        turn = 2 * i + 1;
        turn.notify_one();
        turn.wait(2 * i + 1);
    }
    other.join();
    return data == 200 ? 0 : 1;
}
