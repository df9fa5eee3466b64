#include "live_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What both TSan and we exit with after a race. */
enum { EXIT_RACE = 66, EXIT_NOT_STARTED = 127 };

const char *live_verdict(enum run_verdict verdict)
{
    static const char *const text[RUN_VERDICTS] = {"right", "WRONG",   "FALSE RACE",
                                                   "CRASH", "TIMEOUT", "missing"};
    return text[verdict];
}

/* In the child. TSan wants its addresses where it expects them, and to wait a second at the end: the first is
 * granted to every tool alike, the second to none. */
static _Noreturn void become(const char *binary, unsigned threads)
{
    char number[16];
    int nowhere = open("/dev/null", O_WRONLY);
    snprintf(number, sizeof number, "%u", threads);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    setenv("TSAN_OPTIONS", "atexit_sleep_ms=0", 1);
    personality(ADDR_NO_RANDOMIZE);
    execl(binary, binary, number, (char *)NULL);
    _exit(EXIT_NOT_STARTED);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static enum run_verdict verdict_of(int status, bool timed_out)
{
    if (timed_out)
        return RUN_TIMED_OUT;
    if (!WIFEXITED(status))
        return RUN_CRASHED;
    switch (WEXITSTATUS(status)) {
    case 0:
        return RUN_RIGHT;
    case EXIT_RACE:
        return RUN_RACE;
    case 1:
        return RUN_WRONG;
    case EXIT_NOT_STARTED:
        return RUN_MISSING;
    default:
        return RUN_CRASHED;
    }
}

/* The child's end or the time's. */
static bool wait_or_kill(pid_t child, unsigned timeout_seconds, int *status, struct rusage *usage)
{
    const struct timespec limit = {.tv_sec = timeout_seconds};
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    bool timed_out = false;
    while (wait4(child, status, WNOHANG, usage) == 0)
        if (sigtimedwait(&ends, NULL, &limit) < 0 && errno == EAGAIN) {
            timed_out = true;
            kill(child, SIGKILL);
            wait4(child, status, 0, usage);
            break;
        }
    return timed_out;
}

struct live_run live_run(const char *binary, unsigned threads, unsigned timeout_seconds)
{
    struct rusage usage = {0};
    int status = 0;
    sigset_t ends, before;
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, &before);
    fflush(NULL);
    double start = now();
    pid_t child = fork();
    if (child < 0)
        tool_failed("bench: no process");
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        become(binary, threads);
    }
    bool timed_out = wait_or_kill(child, timeout_seconds, &status, &usage);
    struct live_run run = {.verdict = verdict_of(status, timed_out),
                           .wall = now() - start,
                           .cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime),
                           .megabytes = (double)usage.ru_maxrss / 1024};
    sigprocmask(SIG_SETMASK, &before, NULL);
    return run;
}
