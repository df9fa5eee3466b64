/* So many children at the same time, each with one race whose report is longer than a pipe takes in one piece. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../programs/unseen.h"

enum { DEEP = 100 };

int shared;

__attribute__((noinline)) static int descend(int depth)
{
    if (depth == 0)
        shared = 1;
    else
        descend(depth - 1);
    return depth; /* no tail call */
}

static void *other(void *unused)
{
    descend(DEEP);
    unseen_signal(1);
    unseen_wait(2);
    return unused;
}

static void race(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    unseen_wait(1);
    descend(DEEP);
    unseen_signal(2);
    pthread_join(thread, NULL);
}

int main(int count, char **argument)
{
    int children = count > 1 ? atoi(argument[1]) : 0, wrong = 0, is_child = 0;
    for (int i = 0; i < children && !is_child; i++)
        is_child = fork() == 0;
    if (is_child || children == 0) {
        race();
        return 0;
    }
    for (int i = 0, status; i < children; i++)
        wrong += wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 66;
    return wrong;
}
