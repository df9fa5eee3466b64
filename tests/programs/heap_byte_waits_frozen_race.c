/* The same next to a table that both threads read, in memory that nobody writes until the second does so:
 * the byte that the first has read is not forgotten then. */
#include <stdint.h>

#include "heap_byte_waits.h"

enum { READ_BY_FIRST = 1, READ_BY_BOTH, ENTRIES = 500 };

static int *table, sum[2];

static void read_table(int who)
{
    for (int i = 0; i < ENTRIES - 1; i++)
        sum[who] += table[i];
}

THREAD(first)
{
    read_table(0);
    unseen_signal(READ_BY_FIRST);
    unseen_wait(READ_BY_BOTH);
    sum[0] += block[5];
    unseen_signal(WRITTEN);
    unseen_wait(GIVEN_OUT);
    return NULL;
}

THREAD(second)
{
    unseen_wait(READ_BY_FIRST);
    read_table(1);
    unseen_signal(READ_BY_BOTH);
    unseen_wait(WRITTEN);
    table[ENTRIES - 1] = 1;
    again(NULL);
    return NULL;
}

int main(void)
{
    do {
        table = calloc(ENTRIES, sizeof *table);
        block = calloc(64, 1);
        for (int i = 0; i < ENTRIES; i++)
            table[i] = i;
    } while (((uintptr_t)table ^ (uintptr_t)block) >> 12 != 0);
    run(first, second);
    free(again_block);
    free(table);
    return 0;
}
