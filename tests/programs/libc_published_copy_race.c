/* What strdup() writes into new memory is read by who gets it. */
#include "two_steps.h"

#include <stdlib.h>
#include <string.h>

static char *volatile made;

__attribute__((no_sanitize("thread"))) static char *look(void)
{
    return made;
}

__attribute__((no_sanitize("thread"))) static void give(char *text)
{
    made = text;
}

static void first(void)
{
    give(strdup("text"));
}

static void second(void)
{
    char *text = look();
    if (text[0] == 'x')
        text[1] = 'x';
}
