/* Blocks that the C library allocates and the program frees. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pair.h"

static void *worker(void *unused)
{
    for (int i = 0; i < 50; i++) {
        char *line = NULL, *text, *copy = strdup("some text");
        size_t room = 0;
        FILE *file = fmemopen(copy, strlen(copy), "r");
        if (getline(&line, &room, file) != 9 || asprintf(&text, "%s %d", line, i) < 0)
            return worker;
        fclose(file);
        char *path = realpath("/", NULL);
        free(path);
        free(text);
        free(line);
        free(strndup(copy, 4));
        free(copy);
    }
    return unused;
}

int main(void)
{
    pair(worker, worker);
    return 0;
}
