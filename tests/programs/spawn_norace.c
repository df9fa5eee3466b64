/* Programs are started while other threads are busy. */
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "pair.h"

extern char **environ;
static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int failed;

static void *first(void *unused)
{
    for (int i = 0; i < 20000; i++) {
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

static void *second(void *unused)
{
    char *arguments[] = {"true", NULL};
    for (int i = 0; i < 3; i++) {
        pid_t child;
        int status = 1;
        if (posix_spawnp(&child, "true", NULL, NULL, arguments, environ) != 0 ||
            waitpid(child, &status, 0) != child || status != 0)
            failed = 1;
        if (system("true") != 0)
            failed = 1;
    }
    return unused;
}

int main(void)
{
    pair(first, second);
    return failed || x != 20000;
}
