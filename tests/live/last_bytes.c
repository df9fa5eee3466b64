/* Two threads access one byte each, the same one, and do not synchronize any more; then the program ends the way that
 * the argument names. Whoever ends it has to look at what the others did. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../programs/unseen.h"

static volatile char racy[64];
static volatile char apart[64];
static const char *way;

static int is(const char *word)
{
    return strcmp(way, word) == 0;
}

__attribute__((noinline)) static void touch_first(void)
{
    racy[1] = 1;
    apart[0] = 1;
}

__attribute__((noinline)) static void touch_second(void)
{
    racy[1] = 2;
    apart[1] = 1;
}

static void *first(void *unused)
{
    touch_first();
    unseen_signal(1);
    unseen_wait(100); /* until the end */
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    touch_second();
    unseen_signal(2);
    unseen_wait(100);
    return unused;
}

static void *exiter(void *unused)
{
    unseen_wait(2);
    exit(3);
    return unused;
}

static void wrong(void)
{
    *(volatile int *)8 = 1;
}

/* Until the stack is used up. */
__attribute__((noinline)) static int deeper(int depth)
{
    volatile char room[1000];
    room[0] = (char)depth;
    return depth < 0 ? 0 : deeper(depth + 1) + room[0];
}

static void *overflow(void *unused)
{
    unseen_wait(2);
    deeper(1);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    way = argc > 1 ? argv[1] : "return";
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    if (is("exit-thread")) {
        pthread_t c;
        pthread_create(&c, NULL, exiter, NULL);
        pthread_join(c, NULL);
    }
    if (is("overflow-thread")) {
        pthread_t c;
        pthread_create(&c, NULL, overflow, NULL);
        pthread_join(c, NULL);
    }
    unseen_wait(2);
    if (is("overflow"))
        deeper(1);
    if (is("null-atomic"))
        __atomic_fetch_add((volatile int *)8, 1, __ATOMIC_SEQ_CST);
    if (is("trap"))
        __builtin_trap();
    if (is("exit"))
        exit(0);
    if (is("_exit"))
        _exit(0);
    if (is("quick_exit"))
        quick_exit(0);
    if (is("abort"))
        abort();
    if (is("abort-ignored")) {
        signal(SIGABRT, SIG_IGN);
        abort();
    }
    if (is("raise"))
        raise(SIGSEGV);
    if (is("fault"))
        wrong();
    if (is("term"))
        kill(getpid(), SIGTERM);
    if (is("execl"))
        execl("/bin/echo", "echo", "became", "echo", (char *)NULL);
    if (is("execle")) {
        char *environment[] = {"WORD=became", NULL};
        execle("/bin/sh", "sh", "-c", "echo $WORD echo", (char *)NULL, environment);
    }
    if (is("execvp"))
        execvp("echo", (char *[]){"echo", "became", "echo", NULL});
    if (is("exec-fails")) {
        if (execl("/no/such/program", "program", (char *)NULL) == -1 && errno == ENOENT)
            puts("still here");
    }
    if (is("fork")) { /* the child has none of these threads: their bytes are the parent's */
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            exit(0);
        int status;
        waitpid(child, &status, 0);
        printf("child %d\n", WEXITSTATUS(status));
    }
    return 0;
}
