/* A race, then the end that the argument names. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../programs/unseen.h"

int shared;
static const char *way;

static void *writer(void *unused)
{
    (void)unused;
    shared = 1;
    unseen_signal(1);
    return NULL;
}

static void race(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    unseen_wait(1);
    shared = 2;
    pthread_join(t, NULL);
}

static int is(const char *word)
{
    return strcmp(way, word) == 0;
}

static void *exiter(void *unused)
{
    (void)unused;
    exit(3);
}

static void after(void)
{
    if (is("exit-in-handler"))
        _exit(5);
}

/* The child must not answer for its parent's race. */
static int forked(int child_races)
{
    pid_t child = fork();
    if (child == 0) {
        if (child_races) {
            unseen_signal(0);
            shared = 0;
            race();
        }
        exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
    return 0;
}

int main(int argc, char **argv)
{
    way = argc > 1 ? argv[1] : "return";
    printf("buffered ");
    atexit(after);
    if (is("close-all"))
        for (int fd = 3; fd < 2000; fd++)
            close(fd);
    if (is("no-descriptors"))
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, 3});
    if (is("acts-for")) /* another user, until it takes its own rights again */
        if (seteuid((uid_t)atoi(argv[2])) != 0)
            return 9;
    if (is("clean"))
        return 7;
    if (is("clean-kill"))
        kill(getpid(), SIGKILL);
    if (is("child-races"))
        return forked(1);
    race();
    if (is("exit-thread")) {
        pthread_t t;
        pthread_create(&t, NULL, exiter, NULL);
        pthread_join(t, NULL);
    }
    if (is("exit"))
        exit(0);
    if (is("_exit"))
        _exit(0);
    if (is("_Exit"))
        _Exit(0);
    if (is("exit_group"))
        syscall(SYS_exit_group, 0);
    if (is("quick_exit"))
        quick_exit(0);
    if (is("abort"))
        abort();
    if (is("segv"))
        raise(SIGSEGV);
    if (is("kill"))
        kill(getpid(), SIGKILL);
    if (is("pthread_exit"))
        pthread_exit(NULL);
    if (is("exec"))
        execlp("true", "true", NULL);
    if (is("fork"))
        return forked(0);
    if (is("vfork")) {
        pid_t child = vfork();
        if (child == 0)
            _exit(0);
        int status;
        waitpid(child, &status, 0);
        printf("child %d\n", WEXITSTATUS(status));
    }
    if (is("detach")) { /* lets its output go and works on until its input ends */
        char byte;
        fclose(stdout);
        close(STDERR_FILENO);
        while (read(STDIN_FILENO, &byte, 1) > 0)
            continue;
    }
    if (is("wait")) /* there is no child that the program does not know of */
        printf("wait %d\n", (int)wait(NULL));
    if (is("descriptors")) { /* the next number is the one it would be */
        int fd = open("/dev/null", O_RDONLY);
        printf("next %d\n", fd);
    }
    return 0;
}
