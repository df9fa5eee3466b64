#include "base/output_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { MOST_LINKS = 40 }; /* as the kernel has it */

static bool cannot_open(struct problem *problem)
{
    return problem_set(problem, 0, "cannot open for writing: %s", strerror(errno));
}

/* --- the rule --- */

static bool is_shared(const struct stat *directory)
{
    return (directory->st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/* A file or link, by its directory. */
struct entry {
    const struct stat *st, *directory;
    bool foreign; /* the directory is another user's */
};

static bool is_ours(const struct stat *st)
{
    return st->st_uid == geteuid() || st->st_uid == 0;
}

static bool is_trusted(struct entry e)
{
    return is_ours(e.st) || (!e.foreign && e.st->st_uid == e.directory->st_uid);
}

static bool may_follow(struct entry e, struct problem *problem)
{
    return (!e.foreign && !is_shared(e.directory)) || is_trusted(e) ||
           problem_set(problem, 0,
                       "not written: there is a symbolic link of another user on the way, in a directory "
                       "that others can write to");
}

static bool may_write(struct entry e, struct problem *problem)
{
    if (!e.foreign && !is_shared(e.directory))
        return true;
    if (!is_trusted(e))
        return problem_set(
            problem, 0, "not written: it belongs to another user, in a directory that others can write to");
    return !S_ISREG(e.st->st_mode) || e.st->st_nlink <= 1 ||
           problem_set(
               problem, 0,
               "not written: it has another name (a hard link), in a directory that others can write to");
}

/* --- finding it --- */

/* The path from here on: what is left of it, in memory of its own. */
struct way {
    int directory;
    char *rest;
    unsigned links;
    bool in_proc, foreign; /* of the directory */
};

static bool is_proc(int directory)
{
    struct statfs fs;
    return fstatfs(directory, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Is it another user's directory, which that user could put there? Yes if, from it up to the first directory of ours, one is
 * in a shared directory. The answer depends on the directory alone, not on the path that led to it: that may begin at the
 * current directory, or go through links in /proc. */
static bool is_foreign(int directory)
{
    struct stat st, above;
    int at = fcntl(directory, F_DUPFD_CLOEXEC, 0);
    bool foreign = true; /* also if it cannot be found out */
    while (fstat(at, &st) == 0) {
        int up = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        bool known = up >= 0 && fstat(up, &above) == 0;
        close(at);
        at = up;
        foreign = !is_ours(&st) && !(known && is_same(&st, &above));
        if (!foreign || !known || is_shared(&above))
            break;
    }
    if (at >= 0)
        close(at);
    return foreign;
}

static void go_to(struct way *w, int directory)
{
    if (w->directory >= 0)
        close(w->directory);
    w->directory = directory;
    w->in_proc = is_proc(directory);
    w->foreign = is_foreign(directory);
}

/* Takes the first component off the path; *last: nothing follows it. */
static char *take_component(struct way *w, bool *last)
{
    size_t length = strcspn(w->rest, "/"), slashes = strspn(w->rest + length, "/");
    char *name = strndup(w->rest, length);
    if (name == NULL)
        tool_failed("out of memory");
    *last = w->rest[length] == '\0';
    memmove(w->rest, w->rest + length + slashes, strlen(w->rest + length + slashes) + 1);
    return name;
}

static bool start_from(struct way *w, const char *path, const char *rest, struct problem *problem)
{
    char *whole;
    if (asprintf(&whole, "%s%s%s", path + strspn(path, "/"), *rest != '\0' ? "/" : "", rest) < 0)
        tool_failed("out of memory");
    free(w->rest);
    w->rest = whole;
    if (path[0] != '/')
        return true;
    int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return cannot_open(problem);
    go_to(w, root);
    return true;
}

/* Reads the very link that was examined: it may be replaced meanwhile. */
static bool read_link(const struct way *w, const char *name, char target[PATH_MAX], struct problem *problem)
{
    struct stat link, directory;
    int fd = openat(w->directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    bool good =
        (fd >= 0 && fstat(fd, &link) == 0 && fstat(w->directory, &directory) == 0) || cannot_open(problem);
    good = good && may_follow((struct entry){&link, &directory, w->foreign}, problem);
    ssize_t length = good ? readlinkat(fd, "", target, PATH_MAX - 1) : 0;
    if (length < 0)
        good = cannot_open(problem);
    else
        target[length] = '\0';
    if (fd >= 0)
        close(fd);
    return good;
}

static bool follow(struct way *w, const char *name, struct problem *problem)
{
    char target[PATH_MAX];
    if (!read_link(w, name, target, problem))
        return false;
    if (++w->links > MOST_LINKS) {
        errno = ELOOP;
        return cannot_open(problem);
    }
    char *rest = w->rest;
    w->rest = NULL;
    bool good = start_from(w, target, rest, problem);
    free(rest);
    return good;
}

static bool enter(struct way *w, const char *name, struct problem *problem)
{
    int directory =
        openat(w->directory, name, O_PATH | O_DIRECTORY | O_CLOEXEC | (w->in_proc ? 0 : O_NOFOLLOW));
    if (directory < 0)
        return cannot_open(problem);
    go_to(w, directory);
    return true;
}

/* One component further. *name: it was the last one, and the file is, or will be, under this name. */
static bool step(struct way *w, char **name, struct problem *problem)
{
    struct stat st;
    bool last, good = true;
    char *component = take_component(w, &last);
    bool exists = fstatat(w->directory, component, &st, AT_SYMLINK_NOFOLLOW) == 0;
    *name = NULL;
    if (exists && S_ISLNK(st.st_mode) && !w->in_proc) {
        good = follow(w, component, problem);
    } else if (last) {
        *name = component;
        return true;
    } else {
        good = enter(w, component, problem);
    }
    free(component);
    return good;
}

bool output_path_find(struct output_path *place, const char *path, struct problem *problem)
{
    struct way w = {.directory = -1};
    int current = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    *place = (struct output_path){.directory = -1};
    if (current < 0)
        return cannot_open(problem);
    go_to(&w, current);
    bool good = start_from(&w, path, "", problem);
    while (good && place->name == NULL) {
        if (w.rest[0] == '\0') { /* it ends in a slash */
            errno = EISDIR;
            good = cannot_open(problem);
        } else {
            good = step(&w, &place->name, problem);
        }
    }
    free(w.rest);
    if (!good) {
        close(w.directory);
        return false;
    }
    place->directory = w.directory;
    place->in_proc = w.in_proc;
    place->foreign = w.foreign;
    return true;
}

/* --- using it --- */

bool output_path_stat(const struct output_path *place, struct stat *st)
{
    return fstatat(place->directory, place->name, st, place->in_proc ? 0 : AT_SYMLINK_NOFOLLOW) == 0;
}

/* /proc/self/fd/N, which is what /dev/stdout and /dev/fd/N lead to: N, or -1. Opened by that name it would be
 * another file with another position, and a socket could not be opened at all. */
static int own_descriptor(const struct output_path *place)
{
    struct stat own, directory;
    bool is_own = place->in_proc && place->name[strspn(place->name, "0123456789")] == '\0' &&
                  stat("/proc/self/fd", &own) == 0 && fstat(place->directory, &directory) == 0 &&
                  is_same(&own, &directory);
    return is_own ? atoi(place->name) : -1;
}

/* Opens the file that was examined or, if none existed, creates one. *fd is -1 if it cannot be opened. False: what is there
 * has changed since it was examined. */
static bool open_examined(const struct output_path *place, int flags, bool exists,
                          const struct stat *examined, int *fd)
{
    struct stat st;
    int create = !exists && (flags & O_CREAT) != 0 ? O_EXCL : 0, follow = place->in_proc ? 0 : O_NOFOLLOW;
    *fd = openat(place->directory, place->name, flags | create | O_CLOEXEC | O_NOCTTY | follow, 0666);
    if (*fd < 0)
        return errno != EEXIST;
    if (!exists || place->in_proc || (fstat(*fd, &st) == 0 && is_same(&st, examined)))
        return true;
    close(*fd);
    *fd = -1;
    errno = EAGAIN;
    return false;
}

/* The rule is applied before the file is opened, as opening a pipe waits for its other end; and again afterwards, as it may
 * have got another name. The file opened must be the one examined: another user could put a link to a file of ours there, and
 * remove it once it is opened; that file would then have one name. */
int output_path_open(const struct output_path *place, int flags, struct problem *problem)
{
    enum { MOST_ATTEMPTS = 100 };
    struct stat st, directory;
    const struct entry e = {&st, &directory, place->foreign};
    if (fstat(place->directory, &directory) != 0) {
        cannot_open(problem);
        return -1;
    }
    int own = own_descriptor(place), fd = own >= 0 ? fcntl(own, F_DUPFD_CLOEXEC, 0) : -1;
    bool opened = own >= 0;
    for (int attempt = 0; !opened && attempt < MOST_ATTEMPTS; attempt++) {
        bool exists = output_path_stat(place, &st);
        if (exists && !may_write(e, problem))
            return -1;
        opened = open_examined(place, flags, exists, &st, &fd);
    }
    if (fd < 0) {
        cannot_open(problem);
        return -1;
    }
    if (fstat(fd, &st) == 0 && may_write(e, problem))
        return fd;
    close(fd);
    return -1;
}

bool output_path_same(const struct output_path *a, const struct output_path *b)
{
    struct stat one, other;
    return strcmp(a->name, b->name) == 0 && fstat(a->directory, &one) == 0 &&
           fstat(b->directory, &other) == 0 && is_same(&one, &other);
}

void output_path_free(struct output_path *place)
{
    if (place->directory >= 0)
        close(place->directory);
    free(place->name);
    *place = (struct output_path){.directory = -1};
}

int output_file_open(const char *path, int flags, struct problem *problem)
{
    struct output_path place;
    if (!output_path_find(&place, path, problem))
        return -1;
    int fd = output_path_open(&place, flags, problem);
    output_path_free(&place);
    return fd;
}
