/* std::atomic of integers, pointers, floating point and small structures; std::atomic_ref; std::atomic_flag.
 */
#include <atomic>
#include <cstdlib>
#include <thread>

struct point {
    short x, y;
};

static std::atomic<int> integer;
static std::atomic<int *> pointer;
static std::atomic<double> number;
static std::atomic<point> place;
static std::atomic_flag flag;
static int plain_for_ref, array[64], data;

static void work()
{
    std::atomic_ref<int> ref(plain_for_ref);
    for (int i = 0; i < 200; i++) {
        integer += 2;
        integer--;
        pointer.fetch_add(1, std::memory_order_relaxed);
        pointer -= 1;
        number.fetch_add(0.5, std::memory_order_relaxed);
        point p = place.load();
        while (!place.compare_exchange_weak(p, point{short(p.x + 1), short(p.y - 1)})) {
        }
        ref.fetch_add(1, std::memory_order_relaxed);
        while (flag.test_and_set(std::memory_order_acquire))
            std::this_thread::yield();
        data++;
        flag.clear(std::memory_order_release);
    }
}

int main()
{
    pointer = array;
    std::thread a(work), b(work);
    a.join();
    b.join();
    point p = place;
    if (integer != 400 || pointer != array || number != 200.0 || p.x != 400 || p.y != -400 ||
        plain_for_ref != 400 || data != 400)
        std::abort();
}
