/* From one pipe into another, and in a third thread back out. */
#include "message.h"

#include <fcntl.h>
#include <unistd.h>

static int a[2], b[2];

static void give(void)
{
    must(write(a[1], "!", 1) == 1);
}

static void *between(void *unused)
{
    must(splice(a[0], NULL, b[1], NULL, 1, 0) == 1);
    return unused;
}

static void take(void)
{
    char c;
    must(read(b[0], &c, 1) == 1 && c == '!');
}

int main(void)
{
    pthread_t t;
    must(pipe(a) == 0 && pipe(b) == 0);
    pthread_create(&t, NULL, between, NULL);
    message();
    pthread_join(t, NULL);
    return 0;
}
