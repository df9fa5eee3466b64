#include "live_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_NOT_STARTED = 127, WAITING = 5 };

static const char *const verdict_text[RUN_VERDICTS] = {"-",     "right",   "WRONG",   "FAILED",
                                                       "CRASH", "TIMEOUT", "missing", "NO BUILD"};

const char *live_verdict(enum run_verdict verdict)
{
    return verdict_text[verdict];
}

enum run_verdict live_verdict_named(const char *text)
{
    for (unsigned verdict = 0; verdict < RUN_VERDICTS; verdict++)
        if (strcmp(verdict_text[verdict], text) == 0)
            return (enum run_verdict)verdict;
    return RUN_NONE;
}

/* --- races --- */

size_t live_races(enum tool tool, const char *output)
{
    const struct live_tool *t = &live_tools[tool];
    size_t races = 0;
    if (t->summary == NULL)
        return 0;
    for (const char *line = output; (line = strstr(line, t->summary)) != NULL; line++) {
        const char *number = strstr(line, t->before_number);
        if (number != NULL && number < line + strcspn(line, "\n"))
            races = strtoul(number + strlen(t->before_number), NULL, 10);
    }
    return races;
}

/* --- the child --- */

/* TSan wants its addresses where it expects them, and to wait a second at the end: the first is granted to
 * every tool alike, the second to none. With an exit code of 0, the program's own says whether its result is
 * right, and the summary how many races there are. */
static _Noreturn void become(enum tool tool, const struct launch *launch, int output)
{
    const struct rlimit cpu = {launch->timeout_seconds, launch->timeout_seconds + 1};
    const char *argument[6], *under = live_tools[tool].under;
    char option[32], whole[64], threads_text[16], size_text[24];
    unsigned count = 0;
    unsetenv("PF_BENCH_UNDER");
    if (under != NULL) {
        snprintf(option, sizeof option, "--tool=%s", under);
        snprintf(whole, sizeof whole, "valgrind %s", option);
        if (launch->real) {
            setenv("PF_BENCH_UNDER", whole, 1);
        } else {
            argument[count++] = "valgrind";
            argument[count++] = option;
        }
    }
    argument[count++] = launch->binary;
    if (launch->threads > 0) {
        snprintf(threads_text, sizeof threads_text, "%u", launch->threads);
        argument[count++] = threads_text;
    }
    if (launch->size > 0) {
        snprintf(size_text, sizeof size_text, "%zu", launch->size);
        argument[count++] = size_text;
    }
    argument[count] = NULL;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CPU, &cpu);
    dup2(output, 1);
    dup2(output, 2);
    setenv("TSAN_OPTIONS", "atexit_sleep_ms=0:exitcode=0", 1);
    unsetenv("PHOTOFINISH_OPTIONS");
    if (live_tools[tool].options != NULL)
        setenv("PHOTOFINISH_OPTIONS", live_tools[tool].options, 1);
    personality(ADDR_NO_RANDOMIZE);
    execvp(argument[0], (char **)argument);
    _exit(EXIT_NOT_STARTED);
}

static char *take_output(int file)
{
    off_t length = lseek(file, 0, SEEK_END);
    char *text = calloc(1, (size_t)length + 1);
    require(text != NULL);
    for (off_t at = 0; at < length;) {
        ssize_t got = pread(file, text + at, (size_t)(length - at), at);
        if (got <= 0)
            break;
        at += got;
    }
    close(file);
    return text;
}

/* --- the end --- */

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
    if (timed_out || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        return RUN_TIMED_OUT;
    if (!WIFEXITED(status))
        return RUN_CRASHED;
    switch (WEXITSTATUS(status)) {
    case 0:
        return RUN_RIGHT;
    case 1:
        return RUN_WRONG;
    case EXIT_NOT_STARTED:
        return RUN_MISSING;
    default:
        return RUN_FAILED;
    }
}

/* The child's end or the time's: its CPU time is limited, so this is for those that wait in vain, and a busy
 * machine may take its time. */
static bool wait_or_kill(pid_t child, unsigned timeout_seconds, int *status, struct rusage *usage)
{
    const struct timespec limit = {.tv_sec = (time_t)WAITING * timeout_seconds};
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

static struct live_run run_it(enum tool tool, const struct launch *launch)
{
    struct rusage usage = {0};
    int status = 0, output = memfd_create("output", MFD_CLOEXEC);
    sigset_t ends, before;
    if (output < 0)
        tool_failed("bench: no file for the output");
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
        become(tool, launch, output);
    }
    bool timed_out = wait_or_kill(child, launch->timeout_seconds, &status, &usage);
    struct live_run run = {.verdict = verdict_of(status, timed_out),
                           .status = status,
                           .wall = now() - start,
                           .cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime),
                           .megabytes = (double)usage.ru_maxrss / 1024,
                           .output = take_output(output)};
    run.races = live_races(tool, run.output);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return run;
}

/* Before a run of a real program, or after it; not measured. */
static bool launcher_does(const char *what, const struct launch *launch)
{
    char command[4200];
    char size[24] = "";
    if (launch->size > 0)
        snprintf(size, sizeof size, "%zu", launch->size);
    snprintf(command, sizeof command, "'%s' %s %u %s >/dev/null", launch->binary, what, launch->threads,
             size);
    return system(command) == 0;
}

struct live_run live_run(enum tool tool, const struct launch *launch)
{
    bool there = launch->real && access(launch->binary, X_OK) == 0;
    if (there && !launcher_does("prepare", launch))
        tool_failed("bench: %s cannot prepare its run", launch->binary);
    struct live_run run = run_it(tool, launch);
    if (there && run.verdict == RUN_RIGHT && !launcher_does("check", launch))
        run.verdict = RUN_WRONG;
    return run;
}
