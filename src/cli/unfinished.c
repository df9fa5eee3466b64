#include "cli/unfinished.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"

enum { MOST = 8 };

/* Names to take back. */
static struct {
    int directory;
    const char *volatile name; /* written last; NULL: free */
} unfinished[MOST];

static void remove_unfinished(void)
{
    for (size_t i = 0; i < MOST; i++)
        if (unfinished[i].name != NULL)
            unlinkat(unfinished[i].directory, unfinished[i].name, 0);
}

static void on_signal(int number)
{
    remove_unfinished();
    signal(number, SIG_DFL);
    raise(number);
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
}

/* --- names --- */

static void note_name(int directory, const char *name)
{
    size_t i = 0;
    while (i < MOST && unfinished[i].name != NULL)
        i++;
    require(i < MOST);
    unfinished[i].directory = directory;
    unfinished[i].name = name;
}

static void forget_name(const char *name)
{
    for (size_t i = 0; i < MOST; i++)
        if (unfinished[i].name == name)
            unfinished[i].name = NULL;
}

static char *part_name(const char *name, unsigned attempt)
{
    char *part, again[16] = "";
    if (attempt > 0)
        snprintf(again, sizeof again, "-%u", attempt);
    if (asprintf(&part, "%s.part-%ld%s", name, (long)getpid(), again) < 0)
        tool_failed("out of memory");
    return part;
}

/* Makes a file beside the place: a new one, or (fd >= 0) a name for one that has none. What is in the way stays: a
 * process that had our number may have left it, or somebody has put it there. */
static int make_part(struct unfinished *u, int fd)
{
    enum { MOST_ATTEMPTS = 100 };
    char way[32];
    int directory = u->place.directory;
    snprintf(way, sizeof way, "/proc/self/fd/%d", fd);
    for (unsigned attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        char *part = part_name(u->place.name, attempt);
        note_name(directory, part);
        int made = fd < 0 ? openat(directory, part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)
                          : linkat(AT_FDCWD, way, directory, part, AT_SYMLINK_FOLLOW);
        if (made >= 0) {
            u->part = part;
            return made;
        }
        forget_name(part);
        free(part);
        if (errno != EEXIST)
            break;
    }
    return -1;
}

/* --- opening --- */

static int open_nameless(int directory)
{
    char way[32];
    int fd = openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    snprintf(way, sizeof way, "/proc/self/fd/%d", fd);
    if (access(way, F_OK) == 0)
        return fd; /* it can be given a name by that */
    close(fd);
    return -1;
}

/* For what will be copied over the old file. */
static int open_elsewhere(void)
{
    FILE *file = tmpfile();
    int fd =
        file != NULL ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 0) : memfd_create("photofinish", MFD_CLOEXEC);
    if (file != NULL)
        fclose(file);
    return fd;
}

static int open_staged(struct unfinished *u, struct problem *problem)
{
    struct stat st;
    int fd = open_nameless(u->place.directory);
    if (fd < 0)
        fd = make_part(u, -1);
    if (fd >= 0 && u->old >= 0 && fstat(u->old, &st) == 0)
        fchmod(fd, st.st_mode & 0777); /* the file is ours now: nobody may run it with our rights */
    if (fd < 0 && u->old >= 0)
        fd = open_elsewhere();
    if (fd < 0)
        problem_set(problem, 0, "cannot open for writing: %s", strerror(errno));
    return fd;
}

/* The file that is written to; -1: none. */
static int open_file(struct unfinished *u, const char *path, struct problem *problem)
{
    struct stat st;
    if (!output_path_find(&u->place, path, problem))
        return -1;
    bool exists = output_path_stat(&u->place, &st);
    u->direct = u->place.in_proc || (exists && !S_ISREG(st.st_mode));
    if (u->direct)
        return output_path_open(&u->place, O_WRONLY, problem);
    if (exists && (u->old = output_path_open(&u->place, O_WRONLY, problem)) < 0)
        return -1;
    return open_staged(u, problem);
}

static void drop(struct unfinished *u)
{
    if (u->part != NULL) {
        unlinkat(u->place.directory, u->part, 0);
        forget_name(u->part);
        free(u->part);
    }
    if (u->old >= 0)
        close(u->old);
    output_path_free(&u->place);
    *u = (struct unfinished){.place.directory = -1, .old = -1};
}

bool unfinished_open(struct unfinished *u, const char *path, struct problem *problem)
{
    *u = (struct unfinished){.place.directory = -1, .old = -1};
    clean_up_at_end();
    if (strcmp(path, "-") == 0) {
        u->file = stdout;
        u->direct = true;
        return true;
    }
    int fd = open_file(u, path, problem);
    u->file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (fd >= 0 && u->file == NULL) { /* our own descriptor, by name, may be for reading only */
        problem_set(problem, 0, "cannot open for writing: %s", strerror(errno));
        close(fd);
    }
    if (u->file == NULL)
        drop(u);
    return u->file != NULL;
}

/* --- closing --- */

static bool copy_over(const struct unfinished *u)
{
    char bytes[64 << 10];
    off_t from = 0;
    ssize_t got;
    int fd = fileno(u->file);
    if (ftruncate(u->old, 0) != 0)
        return false;
    while ((got = pread(fd, bytes, sizeof bytes, from)) > 0) {
        for (ssize_t done = 0, written; done < got; done += written)
            if ((written = write(u->old, bytes + done, (size_t)(got - done))) < 0)
                return false;
        from += got;
    }
    return got == 0;
}

static bool link_at_place(const struct unfinished *u)
{
    char way[32];
    snprintf(way, sizeof way, "/proc/self/fd/%d", fileno(u->file));
    return linkat(AT_FDCWD, way, u->place.directory, u->place.name, AT_SYMLINK_FOLLOW) == 0;
}

static bool replace(struct unfinished *u)
{
    if ((u->part == NULL && make_part(u, fileno(u->file)) < 0) ||
        renameat(u->place.directory, u->part, u->place.directory, u->place.name) != 0)
        return false;
    forget_name(u->part);
    free(u->part);
    u->part = NULL;
    return true;
}

/* A file that we may write to, but not replace: its directory does not let us, or it is a mount point. */
static bool put_at_place(struct unfinished *u)
{
    bool is_new = u->part == NULL && u->old < 0;
    return (is_new && link_at_place(u)) || replace(u) || (u->old >= 0 && copy_over(u));
}

/* Everything has arrived where it is stored: closing a copy of the descriptor asks a network file system. */
static bool flush(const struct unfinished *u)
{
    if (fflush(u->file) != 0 || ferror(u->file))
        return false;
    int copy = u->file != stdout ? dup(fileno(u->file)) : -1;
    return copy < 0 || close(copy) == 0;
}

bool unfinished_close(struct unfinished *u, bool whole, struct problem *problem)
{
    bool good = !whole || (flush(u) && (u->direct || put_at_place(u)));
    if (!good)
        problem_set(problem, 0, "cannot write: %s", strerror(errno));
    if (u->file != NULL && u->file != stdout)
        fclose(u->file);
    drop(u);
    return good;
}

bool unfinished_same(const struct unfinished *a, const struct unfinished *b)
{
    if (a->file == NULL || b->file == NULL)
        return false;
    return a->file == b->file || (!a->direct && !b->direct && output_path_same(&a->place, &b->place));
}
