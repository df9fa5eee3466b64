/* Invariants:
 *   1. begin <= end <= capacity, and the buffer has SOURCE_SLACK bytes more, the first of which takes the
 * newline that a last line may lack
 *   2. what was read from a pipe and is to be rewindable is in the spool, in order and whole
 */
#include "trace/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WINDOW_BYTES = 256 << 10 };

/* Where copies of piped input go. */
static const char *spool_directory(void)
{
    const char *directory = getenv("TMPDIR");
    return directory == NULL || *directory == '\0' ? P_tmpdir : directory;
}

/* An open file without a name, in the directory for temporary files; -1 with errno set. */
static int open_unnamed(void)
{
    const char *directory = spool_directory();
    int fd = open(directory, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    /* Not every file system has O_TMPFILE. */
    char *path;
    if (asprintf(&path, "%s/photofinish-XXXXXX", directory) < 0)
        return -1;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    free(path);
    return fd;
}

/* There is no copy to read again. That matters only if somebody wants to: then this is why. */
static void no_spool(struct source *source)
{
    problem_set(&source->unspooled, 0, "cannot be read twice: no temporary copy in %s: %s", spool_directory(),
                strerror(errno));
    if (source->spool >= 0)
        close(source->spool);
    source->spool = -1;
}

/* What kind of file it is decides how it can be read again. */
static bool classify(struct source *source, bool rewindable, struct problem *problem)
{
    struct stat status;
    if (fstat(source->fd, &status) != 0)
        return problem_set(problem, 0, "cannot open: %s", strerror(errno));
    if (S_ISDIR(status.st_mode))
        return problem_set(problem, 0, "is a directory, not a trace");
    off_t start = S_ISREG(status.st_mode) ? lseek(source->fd, 0, SEEK_CUR) : -1;
    if (start >= 0) {
        source->seekable = true;
        source->start = start;
        source->size = status.st_size > start ? (uint64_t)(status.st_size - start) : 0;
    } else if (rewindable && (source->spool = open_unnamed()) < 0) {
        no_spool(source);
    }
    return true;
}

bool source_open(struct source *source, const char *path, bool rewindable, struct problem *problem)
{
    bool standard_input = strcmp(path, "-") == 0;
    *source = (struct source){.name = path, .fd = STDIN_FILENO, .spool = -1, .capacity = WINDOW_BYTES};
    if (!standard_input && (source->fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
        return problem_set(problem, 0, "cannot open: %s", strerror(errno));
    if (classify(source, rewindable, problem))
        return true;
    source_close(source);
    return false;
}

void source_memory(struct source *source, const char *name, const void *bytes, size_t size)
{
    *source = (struct source){.name = name,
                              .fd = -1,
                              .spool = -1,
                              .seekable = true,
                              .size = size,
                              .memory = bytes,
                              .memory_size = size,
                              .capacity = WINDOW_BYTES};
}

void source_close(struct source *source)
{
    if (source->fd > STDIN_FILENO)
        close(source->fd);
    if (source->spool >= 0)
        close(source->spool);
    if (source->buffer != NULL)
        mem_free(&source->mem, source->buffer, source->capacity + SOURCE_SLACK);
    source->buffer = NULL;
    source->begin = source->end = 0;
    source->fd = source->spool = -1;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

static size_t read_memory(struct source *source, char *into, size_t room)
{
    size_t size = min_size(room, source->memory_size - source->memory_at);
    if (size > 0)
        memcpy(into, source->memory + source->memory_at, size);
    source->memory_at += size;
    return size;
}

/* One read to the end of the window, which has room. */
static bool read_some(struct source *source)
{
    char *into = source->buffer + source->end;
    size_t room = source->capacity - source->end;
    ssize_t got;
    if (source->fd < 0) {
        got = (ssize_t)read_memory(source, into, room);
    } else {
        do
            got = read(source->fd, into, room);
        while (got < 0 && errno == EINTR);
    }
    if (got < 0)
        return problem_set(&source->problem, 0, "cannot read: %s", strerror(errno));
    if (source->spool >= 0 && !write_all(source->spool, into, (size_t)got))
        no_spool(source);
    source->end += (size_t)got;
    source->end_of_input = got == 0;
    return true;
}

/* Moves the window to the front of a buffer of at least `want` bytes. */
static void slide(struct source *source, size_t want)
{
    if (source->buffer == NULL)
        source->buffer = mem_alloc(&source->mem, source->capacity + SOURCE_SLACK);
    if (source->begin > 0)
        memmove(source->buffer, source->buffer + source->begin, source_window(source));
    source->end -= source->begin;
    source->begin = 0;
    if (want > source->capacity) {
        size_t grown = want > 2 * source->capacity ? want : 2 * source->capacity;
        source->buffer =
            mem_resize(&source->mem, source->buffer, source->capacity + SOURCE_SLACK, grown + SOURCE_SLACK);
        source->capacity = grown;
    }
}

bool source_more(struct source *source, size_t want)
{
    if (source_window(source) >= want)
        return true;
    if (!source->end_of_input)
        slide(source, want);
    while (source_window(source) < want && !source->end_of_input)
        if (!read_some(source))
            return false;
    return true;
}

const char *source_take(struct source *source, size_t size)
{
    debug_require(size <= source_window(source));
    const char *bytes = source->buffer + source->begin;
    source->begin += size;
    source->consumed += size;
    return bytes;
}

static enum line_result take_line(struct source *source, size_t length, size_t newline, const char **line,
                                  size_t *line_length)
{
    *line = source_take(source, length + newline);
    *line_length = length > 0 && (*line)[length - 1] == '\r' ? length - 1 : length;
    return LINE_OK;
}

/* The window holds no newline: reads on until it does. */
static cold_path enum line_result long_line(struct source *source, const char **line, size_t *length)
{
    for (size_t searched = source_window(source);;) {
        if (searched > LONGEST_LINE) {
            problem_set(&source->problem, 0, "a line of more than %u MiB", LONGEST_LINE >> 20);
            return LINE_FAILED;
        }
        if (!source_more(source, searched + 1))
            return LINE_FAILED;
        size_t window = source_window(source);
        const char *start = source->buffer + source->begin;
        const char *newline = window > searched ? memchr(start + searched, '\n', window - searched) : NULL;
        if (newline != NULL && (size_t)(newline - start) <= LONGEST_LINE)
            return take_line(source, (size_t)(newline - start), 1, line, length);
        searched = window;
        if (!source->end_of_input)
            continue;
        if (window == 0)
            return LINE_END;
        if (window <= LONGEST_LINE) {
            source->buffer[source->end] = '\n';
            return take_line(source, window, 0, line, length);
        }
    }
}

enum line_result source_line(struct source *source, const char **line, size_t *length)
{
    size_t window = source_window(source);
    if (unlikely(window == 0))
        return long_line(source, line, length);
    const char *start = source->buffer + source->begin, *newline = memchr(start, '\n', window);
    if (likely(newline != NULL && (size_t)(newline - start) <= LONGEST_LINE))
        return take_line(source, (size_t)(newline - start), 1, line, length);
    return long_line(source, line, length);
}

/* From here on the copy is the source. What is still in the pipe is copied first. */
static bool switch_to_spool(struct source *source, struct problem *problem)
{
    source->begin = source->end = 0;
    while (!source->end_of_input) {
        slide(source, 1);
        if (!read_some(source)) {
            *problem = source->problem;
            return false;
        }
        source->end = 0;
    }
    if (source->fd > STDIN_FILENO)
        close(source->fd);
    source->fd = source->spool;
    source->spool = -1;
    source->seekable = true;
    source->start = 0;
    struct stat status;
    source->size = fstat(source->fd, &status) == 0 ? (uint64_t)status.st_size : 0;
    return true;
}

bool source_rewind(struct source *source, struct problem *problem)
{
    if (source->spool >= 0 && !switch_to_spool(source, problem))
        return false;
    if (!source->seekable && source->unspooled.reason[0] != '\0') {
        *problem = source->unspooled;
        return false;
    }
    if (!source->seekable)
        return problem_set(problem, 0, "cannot be read twice: it is not a file");
    if (source->fd >= 0 && lseek(source->fd, source->start, SEEK_SET) < 0)
        return problem_set(problem, 0, "cannot be read again: %s", strerror(errno));
    source->memory_at = 0;
    source->begin = source->end = 0;
    source->consumed = 0;
    source->end_of_input = false;
    source->problem = (struct problem){0};
    return true;
}
