/* Both ends of a pseudo terminal. */
#include "message.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static int master, slave;

static void give(void)
{
    must(write(master, "a\n", 2) == 2);
}

static void take(void)
{
    char line[8];
    must(read(slave, line, sizeof line) == 2);
}

int main(void)
{
    must((master = posix_openpt(O_RDWR | O_NOCTTY)) >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    must((slave = open(ptsname(master), O_RDWR | O_NOCTTY)) >= 0);
    return message();
}
