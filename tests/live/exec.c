/* exec WAY [race]: becomes `sh -c "echo became; exit 3"`, the way that the first argument names, after a race or without
 * one. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../programs/unseen.h"

int shared;
static char *arguments[] = {"sh", "-c", "echo became $WORD; exit 3", NULL};
static char *environment[] = {"WORD=word", NULL};
static const char *way;

static void *writer(void *unused)
{
    shared = 1;
    unseen_signal(1);
    return unused;
}

static void race(void)
{
    pthread_t thread;
    unseen_signal(0);
    pthread_create(&thread, NULL, writer, NULL);
    unseen_wait(1);
    shared = 2;
    pthread_join(thread, NULL);
}

static int is(const char *word)
{
    return strcmp(way, word) == 0;
}

static void become(void)
{
    if (is("execl"))
        execl("/bin/sh", "sh", "-c", arguments[2], (char *)NULL);
    if (is("execle"))
        execle("/bin/sh", "sh", "-c", arguments[2], (char *)NULL, environment);
    if (is("execlp"))
        execlp("sh", "sh", "-c", arguments[2], (char *)NULL);
    if (is("execv"))
        execv("/bin/sh", arguments);
    if (is("execve"))
        execve("/bin/sh", arguments, environment);
    if (is("execvp"))
        execvp("sh", arguments);
    if (is("execvpe"))
        execvpe("sh", arguments, environment);
    if (is("fexecve"))
        fexecve(open("/bin/sh", O_RDONLY | O_CLOEXEC), arguments, environment);
    if (is("execveat"))
        execveat(open("/bin", O_RDONLY | O_CLOEXEC), "sh", arguments, environment, 0);
    if (is("execveat-empty"))
        execveat(open("/bin/sh", O_RDONLY | O_CLOEXEC), "", arguments, environment, AT_EMPTY_PATH);
    if (is("execve-by-number"))
        syscall(SYS_execve, "/bin/sh", arguments, environment);
    if (is("execveat-by-number"))
        syscall(SYS_execveat, open("/bin", O_RDONLY | O_CLOEXEC), "sh", arguments, environment, 0);
}

static int result_of(pid_t child)
{
    int status;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

/* None of these can be started. */
static void fail(void)
{
    int failed = execl("/no/such/program", "program", (char *)NULL) == -1 && errno == ENOENT;
    failed += execvp("no-such-program", arguments) == -1 && errno == ENOENT;
    failed += fexecve(-1, arguments, environment) == -1 && errno == EINVAL;
    failed += execveat(AT_FDCWD, "no-such-program", arguments, environment, 0) == -1 && errno == ENOENT;
    printf("failed %d\n", failed);
}

int main(int argc, char **argv)
{
    way = argv[1];
    if (argc > 2)
        race();
    if (is("fails")) {
        fail();
        return 0;
    }
    if (is("children")) {
        pid_t child;
        if ((child = fork()) == 0)
            execv("/bin/sh", arguments);
        int forked = result_of(child);
        if ((child = vfork()) == 0)
            execv("/bin/sh", arguments);
        printf("%d %d %d\n", forked, result_of(child), WEXITSTATUS(system("exit 4")));
        return 0;
    }
    if (is("child-races")) {
        pid_t child = fork();
        if (child == 0) {
            race();
            execv("/bin/sh", arguments);
        }
        printf("child %d\n", result_of(child));
        return 0;
    }
    become();
    return 1;
}
