/* getline() writes the line, and where it is. */
#include "two_steps.h"

#include <stdio.h>
#include <stdlib.h>

static char *line;
static size_t room;

static void first(void)
{
    char text[] = "some text\n";
    FILE *file = fmemopen(text, sizeof text - 1, "r");
    if (getline(&line, &room, file) != 10)
        unseen_wait(1000);
    fclose(file);
}

static void second(void)
{
    free(line);
}
