/* Message passing with a 16-byte variable. */
/* build: -mcx16 */
#include "threads_together.h"
#include "unseen.h"

typedef unsigned __int128 wide;
static wide ready;
static int data;

THREAD(writer)
{
    data = 42;
    __atomic_store_n(&ready, ((wide)1 << 64) | 7, __ATOMIC_RELEASE);
    unseen_signal(1);
    return NULL;
}

THREAD(reader)
{
    unseen_wait(1);
    if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) >> 64)
        return data == 42 ? NULL : &data;
    return NULL;
}

int main(void)
{
    run(writer, reader);
    return 0;
}
