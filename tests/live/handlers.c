/* The program's own view of signals is as without us. Prints what it sees. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;

static void jump(int number)
{
    siglongjmp(back, number);
}

static const char *name(void (*handler)(int))
{
    return handler == SIG_DFL ? "default" : handler == SIG_IGN ? "ignore" : handler == jump ? "jump" : "other";
}

static void show(const char *what)
{
    struct sigaction action;
    sigaction(SIGSEGV, NULL, &action);
    printf("%s: %s flags %x\n", what, name(action.sa_handler), (unsigned)action.sa_flags & ~0x4000000u);
}

static int killed_by(int number, void (*handler)(int))
{
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        signal(number, handler);
        raise(number);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

int main(void)
{
    struct sigaction action = {.sa_handler = jump}, before;
    sigset_t none;
    show("start");
    printf("signal: %s\n", name(signal(SIGSEGV, jump)));
    printf("signal: %s\n", name(signal(SIGSEGV, SIG_DFL)));
    printf("signal: %s\n", name(signal(SIGSEGV, SIG_IGN)));
    show("ignored");
    sigaction(SIGSEGV, &action, &before);
    printf("sigaction: %s\n", name(before.sa_handler));
    if (sigsetjmp(back, 1) == 0)
        *(volatile int *)8 = 1;
    else
        puts("caught");
    sigaction(SIGSEGV, &(struct sigaction){.sa_handler = SIG_DFL}, &before);
    printf("sigaction: %s\n", name(before.sa_handler));
    show("end");
    sigemptyset(&none);
    sigprocmask(SIG_BLOCK, NULL, &none);
    printf("blocked: %d\n", sigismember(&none, SIGSEGV));
    for (int number = 1; number < 16; number++)
        if (number != SIGKILL && number != SIGUSR1 && number != SIGUSR2)
            printf("%d: killed by %d, ignored %d\n", number, killed_by(number, SIG_DFL), killed_by(number, SIG_IGN));
    return 0;
}
