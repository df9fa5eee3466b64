/* What the C++ library copies for the program. */
#include <string>
#include <thread>

#include "unseen.h"

static std::string text(100, 'x');
static volatile size_t size = 50; /* what it copies inline is not seen */

int main()
{
    std::thread writer([] {
        text.replace(10, size, "0123456789012345678901234567890123456789012345678_", size);
        unseen_signal(1);
    });
    unseen_wait(1);
#ifdef ORDERED
    writer.join();
#endif
    volatile char c = text.data()[20];
    (void)c;
#ifndef ORDERED
    writer.join();
#endif
}
