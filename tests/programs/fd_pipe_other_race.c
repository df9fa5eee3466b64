/* Two pipes have nothing to do with each other. */
#include "message.h"

#include <unistd.h>

static int a[2], b[2];

static void give(void)
{
    must(write(a[1], "!", 1) == 1);
    unseen_signal(1);
}

static void take(void)
{
    char c;
    unseen_wait(1);
    must(read(b[0], &c, 1) == 1);
}

int main(void)
{
    must(pipe(a) == 0 && pipe(b) == 0);
    must(write(b[1], "?", 1) == 1);
    return message();
}
