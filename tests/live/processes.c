/* Starts processes the way that the argument names, from a program with several threads, and says what became of them.
 * Of itself it is free of races; the child of some ways is not. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../programs/unseen.h"

extern char **environ;
extern pid_t _Fork(void);

static const char *way;
int shared;
static int told[2]; /* by the child of vfork, in our memory */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;
static volatile pid_t made_in_handler;

static int is(const char *word)
{
    return strcmp(way, word) == 0;
}

static void *busy(void *unused)
{
    while (unseen_now() < 100) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
        free(malloc(10));
    }
    return unused;
}

static void *writer(void *unused)
{
    shared = 1;
    unseen_signal(2);
    return unused;
}

/* In a child: a race of two threads that it has started itself. */
static void race(void)
{
    pthread_t t;
    unseen_signal(1);
    pthread_create(&t, NULL, writer, NULL);
    unseen_wait(2);
    shared = 2;
    pthread_join(t, NULL);
}

static void wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    printf("%s: %s %d\n", way, WIFEXITED(status) ? "exit" : "signal",
           WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    fflush(stdout);
}

__attribute__((noinline)) static void become(const char *program, int depth)
{
    told[0] = depth;
    if (depth > 0)
        become(program, depth - 1);
    else
        execlp(program, program, (char *)NULL);
    told[1] = errno;
}

__attribute__((noinline)) static void through_vfork(const char *program, int depth)
{
    pid_t child = vfork();
    if (child == 0) {
        signal(SIGUSR1, SIG_DFL); /* the child's only */
        become(program, depth);
        _exit(9);
    }
    wait_for(child);
}

static void in_handler(int number)
{
    (void)number;
    pid_t child = fork();
    if (child == 0) {
        race();
        _exit(0);
    }
    made_in_handler = child;
}

static void handled(int number)
{
    (void)number;
    puts("still handled");
}

static void start(void)
{
    pid_t child = -1;
    if (is("fork") || is("_Fork")) {
        child = is("fork") ? fork() : _Fork();
        if (child == 0) {
            race();
            _exit(0);
        }
    } else if (is("fork-in-handler")) {
        signal(SIGUSR1, in_handler);
        raise(SIGUSR1);
        child = made_in_handler;
    } else if (is("vfork")) {
        signal(SIGUSR1, handled);
        through_vfork("true", 5);
        through_vfork("/no/such/program", 3);
        printf("told %d %d\n", told[0], told[1] == ENOENT);
        raise(SIGUSR1);
        return;
    } else if (is("posix_spawn")) {
        char *arguments[] = {"true", NULL};
        posix_spawnp(&child, "true", NULL, NULL, arguments, environ);
    } else if (is("system")) {
        printf("system: %d\n", WEXITSTATUS(system("exit 3")));
        return;
    } else if (is("popen")) {
        char line[100] = "";
        FILE *from = popen("echo out of a pipe", "r");
        if (from == NULL || fgets(line, sizeof line, from) == NULL)
            puts("nothing");
        printf("%s%d\n", line, pclose(from));
        return;
    }
    wait_for(child);
}

static void daemonize(void)
{
    int ends[2];
    pid_t at_work;
    if (pipe(ends) != 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        if (is("daemon-after-race"))
            race();
        if (daemon(1, 1) != 0)
            _exit(8);
        at_work = getpid();
        if (is("daemon"))
            race();
        if (write(ends[1], &at_work, sizeof at_work) < 0)
            _exit(8);
        _exit(0);
    }
    wait_for(child);
    close(ends[1]);
    if (read(ends[0], &at_work, sizeof at_work) == sizeof at_work && at_work != child)
        puts("at work");
    while (read(ends[0], &at_work, 1) > 0) { /* until it has ended */
    }
}

int main(int argc, char **argv)
{
    pthread_t t[3];
    way = argc > 1 ? argv[1] : "fork";
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, busy, NULL);
    if (is("daemon") || is("daemon-after-race"))
        daemonize();
    else
        start();
    unseen_signal(100);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
