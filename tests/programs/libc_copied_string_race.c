/* strcpy() writes what strlen() reads. */
#include "two_steps.h"

#include <string.h>

static char text[16];
static volatile size_t kept;

static void first(void)
{
    strcpy(text, "twelve bytes");
}

static void second(void)
{
    kept = strlen(text);
}
