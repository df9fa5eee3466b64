/* What has a place of its own for its results may be called by several threads at once. */
#define _GNU_SOURCE
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pair.h"

static const char format[] = "%s %d";

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void *worker(void *unused)
{
    for (int i = 0; i < 50; i++) {
        char text[] = "a b c", *state, line[64];
        int array[] = {3, 1, 2}, number;
        struct tm tm;
        time_t now = time(NULL);
        for (char *at = strtok_r(text, " ", &state); at != NULL; at = strtok_r(NULL, " ", &state))
            if (strlen(at) != 1)
                abort();
        qsort(array, 3, sizeof *array, compare);
        localtime_r(&now, &tm);
        strftime(line, sizeof line, "%c", &tm);
        snprintf(line, sizeof line, format, "x", i);
        if (sscanf(line, "x %d", &number) != 1 || number != i || getenv("PATH") == NULL || array[0] != 1)
            abort();
        fprintf(stdout, format, line, i);
        free(strdup(format));
        if (strcoll("a", "b") >= 0 || strerror(1) == NULL)
            abort();
    }
    return unused;
}

int main(void)
{
    setlocale(LC_ALL, "");
    pair(worker, worker);
    return 0;
}
