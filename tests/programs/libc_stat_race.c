/* stat() fills in a whole structure. */
#include "two_steps.h"

#include <sys/stat.h>

static struct stat status;

static void first(void)
{
    if (stat("/", &status) != 0)
        unseen_wait(1000);
}

static void second(void)
{
    status.st_ctime = 0;
}
