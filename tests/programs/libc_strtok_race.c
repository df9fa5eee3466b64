/* strtok() remembers where it is in one place for all threads. */
#include "two_steps.h"

#include <string.h>

static char one[] = "a b", two[] = "c d";
static char *volatile kept, *volatile kept_too;

static void first(void)
{
    kept = strtok(one, " ");
}

static void second(void)
{
    kept_too = strtok(two, " ");
}
