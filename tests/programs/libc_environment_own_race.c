/* Who has changed the environment and then looks through it is not alone either: another changes it. */
#include "two_steps.h"

#include <stdlib.h>

static void first(void)
{
    for (int i = 0; i < 2; i++) /* the second time nothing is allocated */
        setenv("SOMETHING", "1", 1);
    getenv("SOMETHING");
}

static void second(void)
{
    setenv("SOMETHING", "2", 1);
}
