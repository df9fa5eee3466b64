/* build: -latomic */
// An atomic structure of 12 bytes, for which the compiler calls libatomic: publication, exchange,
// compare-exchange.
#include <atomic>
#include <cstdlib>
#include <thread>

#include "unseen.h"

struct triple {
    int a, b, c;
};

static std::atomic<triple> shared;
static int data, more;

int main()
{
    std::thread writer([] {
        data = 1;
        shared.store(triple{1, 2, 3}, std::memory_order_release);
    });
    std::thread reader([] {
        triple seen;
        while ((seen = shared.load(std::memory_order_acquire)).a == 0)
            unseen_yield();
        if (seen.a != 1 || seen.b != 2 || seen.c != 3 || data != 1)
            std::abort();
        more = 2;
        triple wanted{1, 2, 3}, other{7, 8, 9};
        if (shared.compare_exchange_strong(other, triple{0, 0, 0}) || other.a != 1 ||
            !shared.compare_exchange_strong(wanted, triple{4, 5, 6}))
            std::abort();
    });
    while (shared.load().a < 4)
        unseen_yield();
    int seen = more;
    triple last = shared.exchange(triple{0, 0, 0});
    writer.join();
    reader.join();
    return seen == 2 && last.a == last.b - 1 ? 0 : 1;
}
