#include "cli/unfinished.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"

enum { MOST = 8 };

static const char *volatile unfinished[MOST];

static void remove_unfinished(void)
{
    for (size_t i = 0; i < MOST; i++)
        if (unfinished[i] != NULL)
            unlink(unfinished[i]);
}

static void on_signal(int number)
{
    remove_unfinished();
    signal(number, SIG_DFL);
    raise(number);
}

/* A write to a file that has become too large then fails. (Ignored, the signal would be so in programs that
 * we start, too.) */
static void on_too_large(int number)
{
    (void)number;
}

static void handle(int number, void (*handler)(int))
{
    if (signal(number, handler) == SIG_IGN)
        signal(number, SIG_IGN); /* as under nohup */
}

static void clean_up_at_end(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    atexit(remove_unfinished);
    static const int fatal[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    for (size_t i = 0; i < array_length(fatal); i++)
        handle(fatal[i], on_signal);
    handle(SIGXFSZ, on_too_large);
}

char *unfinished_name(const char *place)
{
    char *name;
    if (asprintf(&name, "%s.part-%ld", place, (long)getpid()) < 0)
        tool_failed("out of memory");
    return name;
}

FILE *unfinished_open(const char *name)
{
    size_t i = 0;
    clean_up_at_end();
    while (i < MOST && unfinished[i] != NULL)
        i++;
    require(i < MOST);
    FILE *file = fopen(name, "we");
    if (file != NULL)
        unfinished[i] = name;
    return file;
}

void unfinished_forget(const char *name)
{
    for (size_t i = 0; i < MOST; i++)
        if (unfinished[i] == name)
            unfinished[i] = NULL;
}
