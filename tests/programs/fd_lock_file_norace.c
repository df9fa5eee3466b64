/* A file that must not be there is a lock. */
#include "message.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static char directory[] = "/tmp/pf_lock_XXXXXX", path[64];

static void give(void)
{
    must(unlink(path) == 0);
}

static void take(void)
{
    while (open(path, O_CREAT | O_EXCL | O_WRONLY, 0600) < 0)
        usleep(100);
}

int main(void)
{
    must(mkdtemp(directory) != NULL);
    snprintf(path, sizeof path, "%s/lock", directory);
    must(open(path, O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0);
    message();
    unlink(path);
    rmdir(directory);
    return 0;
}
