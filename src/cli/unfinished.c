#include "cli/unfinished.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* --- names --- */

static void note_name(const char *name)
{
    size_t i = 0;
    clean_up_at_end();
    while (i < MOST && unfinished[i] != NULL)
        i++;
    require(i < MOST);
    unfinished[i] = name;
}

static void forget_name(const char *name)
{
    for (size_t i = 0; i < MOST; i++)
        if (unfinished[i] == name)
            unfinished[i] = NULL;
}

static char *name_beside(const char *place)
{
    char *name;
    if (asprintf(&name, "%s.part-%ld", place, (long)getpid()) < 0)
        tool_failed("out of memory");
    return name;
}

/* --- files --- */

/* A way to the open file by which it can be given a name. */
static void way_to(int fd, char way[static 32])
{
    snprintf(way, 32, "/proc/self/fd/%d", fd);
}

static FILE *open_nameless(const char *place)
{
    const char *slash = strrchr(place, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(place, slash == place ? 1 : (size_t)(slash - place)),
         way[32];
    if (folder == NULL)
        tool_failed("out of memory");
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    free(folder);
    if (fd < 0)
        return NULL;
    way_to(fd, way);
    if (access(way, F_OK) == 0)
        return fdopen(fd, "w");
    close(fd);
    return NULL;
}

bool unfinished_open(struct unfinished *u, const char *path)
{
    struct stat existing;
    bool exists = stat(path, &existing) == 0;
    *u = (struct unfinished){.place = exists ? realpath(path, NULL) : strdup(path)};
    if (u->place == NULL || (exists && access(u->place, W_OK) != 0)) {
        free(u->place);
        u->place = NULL;
        return false;
    }
    u->name = name_beside(u->place);
    u->file = open_nameless(u->place);
    if (u->file == NULL) {
        note_name(u->name);
        u->file = fopen(u->name, "we");
        u->named = u->file != NULL;
    }
    if (u->file == NULL) {
        int error = errno;
        unfinished_close(u, false);
        errno = error;
        return false;
    }
    clean_up_at_end();
    if (exists)
        fchmod(fileno(u->file), existing.st_mode & 07777);
    return true;
}

/* At its place, if nothing is there, or beside it. */
static bool give_name(struct unfinished *u)
{
    char way[32];
    way_to(fileno(u->file), way);
    if (linkat(AT_FDCWD, way, AT_FDCWD, u->place, AT_SYMLINK_FOLLOW) == 0)
        return true;
    if (errno != EEXIST)
        return false;
    unlink(u->name); /* a process that had our number may have left it */
    note_name(u->name);
    u->named = linkat(AT_FDCWD, way, AT_FDCWD, u->name, AT_SYMLINK_FOLLOW) == 0;
    return u->named;
}

bool unfinished_close(struct unfinished *u, bool whole)
{
    bool good = !whole || (fflush(u->file) == 0 && !ferror(u->file) && (u->named || give_name(u)));
    int error = errno;
    if (u->file != NULL && fclose(u->file) != 0 && good) {
        good = !whole;
        error = errno;
    }
    if (u->named && whole && good && rename(u->name, u->place) != 0) {
        good = false;
        error = errno;
    }
    if (u->named && (!whole || !good))
        unlink(u->name);
    forget_name(u->name);
    free(u->name);
    free(u->place);
    *u = (struct unfinished){.place = NULL};
    errno = error;
    return good;
}
