/* Unrolled loops over shorts and over characters, downwards: each place has a part of each word. Another thread writes
 * what comes next to them. */
#define NO_RACE
#include <stdint.h>

#include "threads_together.h"
#include "unseen.h"

static volatile uint16_t shorts[4096];
static volatile char characters[4096];
static int count = 100;

THREAD(filler)
{
    for (int i = count; i >= 4; i -= 4) {
        shorts[i] = 0;
        shorts[i - 1] = 0;
        shorts[i - 2] = 0;
        shorts[i - 3] = 0;
    }
    for (int i = count; i >= 3; i -= 3) {
        characters[i] = 0;
        characters[i - 1] = 0;
        characters[i - 2] = 0;
    }
    unseen_signal(1);
    unseen_wait(2);
    return NULL;
}

THREAD(writer)
{
    unseen_wait(1);
#ifdef NO_RACE
    shorts[count + 1] = 1;
    characters[count + 1] = 1;
#else
    shorts[38] = 1;
    characters[38] = 1;
#endif
    unseen_signal(2);
    return NULL;
}

int main(void)
{
    run(filler, writer);
    return 0;
}
