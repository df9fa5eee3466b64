/* getenv() looks through what setenv() changes. */
#include "two_steps.h"

#include <stdlib.h>

static void first(void)
{
    setenv("SOMETHING", "1", 1);
}

static void second(void)
{
    getenv("SOMETHING");
}
