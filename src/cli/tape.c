#include "cli/tape.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { WINDOW_BYTES = TAPE_WINDOW * sizeof(struct tape_slot), FASTEST = 1 };

/* --- the temporary file: windows as they were, each compressed, after its size --- */

/* Beside the trace, where there is room for one if anywhere; of a device or pipe, where temporary files go.
 */
static char *directory_for(const char *path)
{
    struct stat st;
    const char *slash = strrchr(path, '/'), *temporary = getenv("TMPDIR");
    bool beside = strcmp(path, "-") != 0 && (stat(path, &st) != 0 || S_ISREG(st.st_mode));
    if (!beside)
        return strdup(temporary != NULL && *temporary != '\0' ? temporary : P_tmpdir);
    return slash == NULL ? strdup(".") : strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static FILE *open_unnamed(const char *directory)
{
    int fd = open(directory, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) { /* not every file system has that */
        char *path;
        if (asprintf(&path, "%s/photofinish-XXXXXX", directory) < 0)
            return NULL;
        fd = mkostemp(path, O_CLOEXEC);
        if (fd >= 0)
            unlink(path);
        free(path);
    }
    return fd >= 0 ? fdopen(fd, "w+b") : NULL;
}

static bool keep(struct tape *t, const struct tape_slot *window)
{
    static char packed[ZSTD_COMPRESSBOUND(WINDOW_BYTES)];
    uint64_t size = ZSTD_compress(packed, sizeof packed, window, WINDOW_BYTES, FASTEST);
    require(!ZSTD_isError(size));
    if (fwrite(&size, sizeof size, 1, t->kept) != 1 || fwrite(packed, size, 1, t->kept) != 1 ||
        fflush(t->kept) != 0)
        return false;
    t->window_count++;
    return true;
}

/* What has been read is not needed again: the trace may need the room. */
static void give_back(const struct tape *t)
{
    off_t read = ftello(t->kept) & -4096;
    if (read > 0)
        fallocate(fileno(t->kept), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, read);
}

static bool fetch(struct tape *t, struct tape_slot *window)
{
    static char packed[ZSTD_COMPRESSBOUND(WINDOW_BYTES)];
    uint64_t size;
    if (fread(&size, sizeof size, 1, t->kept) != 1 || size > sizeof packed ||
        fread(packed, size, 1, t->kept) != 1)
        return false;
    give_back(t);
    return ZSTD_decompress(window, WINDOW_BYTES, packed, size) == WINDOW_BYTES;
}

/* --- windows --- */

bool tape_start(struct tape *t, uint32_t pid, const char *path, struct problem *problem)
{
    size_t size = (size_t)TAPE_WINDOWS * WINDOW_BYTES;
    char *directory = directory_for(path);
    *t = (struct tape){.pid = pid, .path = strdup(path), .transcript = transcript_new()};
    t->kept = open_unnamed(directory);
    if (t->kept == NULL)
        problem_set(problem, 0, "no temporary file in %s: %s", directory, strerror(errno));
    free(directory);
    t->memory = memfd_create("photofinish-tape", MFD_CLOEXEC);
    void *window = t->memory >= 0 && ftruncate(t->memory, (off_t)size) == 0
                       ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, t->memory, 0)
                       : MAP_FAILED;
    t->window = window != MAP_FAILED ? window : NULL;
    if (t->window == NULL)
        problem_set(problem, 0, "no memory for a tape: %s", strerror(errno));
    if (t->window != NULL && t->kept != NULL)
        return true;
    tape_free(t);
    return false;
}

static struct tape_slot *window_at(const struct tape *t, uint64_t number)
{
    return t->window + number % TAPE_WINDOWS * TAPE_WINDOW;
}

bool tape_turn(struct tape *t, uint64_t window)
{
    if (t->ended || t->error != 0 || t->damaged || window != t->current + 1)
        return false;
    t->current = window;
    return true;
}

/* The process may write there while we look, if it has gone mad: so it is looked at as it was copied. */
static bool keep_window(struct tape *t, uint64_t number)
{
    static struct tape_slot copy[TAPE_WINDOW];
    if (t->error != 0 || t->damaged)
        return false;
    memcpy(copy, window_at(t, number), WINDOW_BYTES);
    memset(window_at(t, number), 0, WINDOW_BYTES);
    size_t sound = transcript_sound(copy, TAPE_WINDOW);
    t->damaged = sound < TAPE_WINDOW && copy[sound].op != TAPE_NOTHING;
    memset(copy + sound, 0, (TAPE_WINDOW - sound) * sizeof *copy);
    if (!keep(t, copy)) {
        t->error = errno;
        return false;
    }
    transcript_look(t->transcript, copy, sound);
    return !t->damaged;
}

bool tape_keep(struct tape *t)
{
    return keep_window(t, t->current - 1);
}

bool tape_end(struct tape *t)
{
    if (t->ended)
        return true;
    t->ended = true;
    return keep_window(t, t->current);
}

bool tape_transcribe(struct tape *t, struct output *output, struct problem *problem)
{
    static struct tape_slot window[TAPE_WINDOW];
    bool good = fseeko(t->kept, 0, SEEK_SET) == 0;
    transcript_again(t->transcript, output);
    for (uint64_t i = 0; good && i < t->window_count; i++) {
        if (!fetch(t, window))
            return problem_set(problem, 0, "the temporary copy of the tape cannot be read");
        good = transcript_write(t->transcript, window, transcript_sound(window, TAPE_WINDOW), problem);
    }
    return good && transcript_end(t->transcript, problem);
}

void tape_free(struct tape *t)
{
    if (t->window != NULL)
        munmap(t->window, (size_t)TAPE_WINDOWS * WINDOW_BYTES);
    if (t->memory >= 0)
        close(t->memory);
    if (t->kept != NULL)
        fclose(t->kept);
    transcript_free(t->transcript);
    free(t->path);
}
