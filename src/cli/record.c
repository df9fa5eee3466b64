/* photofinish record: runs a program and keeps what it does as a trace. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomic.h"
#include "cli/cli.h"
#include "cli/guests.h"
#include "cli/tape.h"
#include "cli/unfinished.h"
#include "report/raw.h"
#include "trace/writer.h"

enum { EXIT_BAD_OPTIONS = 64 };

struct recording {
    struct child child;
    struct desk desk;
    const char *path; /* of the recording; with %p in it, of the recordings */
    bool of_each;     /* it has */
    bool stop;        /* the program, when there is no room */
    bool quiet;
    bool heard, failed;
    bool refused; /* a process could not be, and has said why */
    struct recorded {
        int fd;
        struct output_path place;
        bool made; /* there was no such file */
        bool kept; /* what is there is not ours to empty: it is a descriptor that we were given */
    } first;       /* not of_each: opened before the program begins */
    struct mem mem;
    struct tape **tape;
    size_t count, capacity;
    uint64_t others; /* processes that are not recorded */
};

/* --- files --- */

static bool is_std(const char *path)
{
    return writer_format_for(path) == &writer_std;
}

/* STD is made of the recording, once there is one: until then that lies, nameless, beside it, or where temporary
 * files do. */
static int open_unnamed(int directory)
{
    int fd = openat(directory, ".", O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    FILE *file = tmpfile();
    fd = file != NULL ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 0) : -1;
    if (file != NULL)
        fclose(file);
    return fd;
}

/* It is the trace's alone: what the program prints there goes to standard error. */
static int take_standard_output(void)
{
    int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (fd >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        close(STDOUT_FILENO); /* that is closed, too */
    return fd;
}

static bool open_at(struct recorded *file, const char *path, struct problem *problem)
{
    const struct output_path *place = &file->place;
    struct stat st;
    struct unfinished converted;
    if (is_std(path)) {
        file->fd = open_unnamed(place->directory);
        if (file->fd < 0)
            return problem_set(problem, 0, "cannot open for writing: %s", strerror(errno));
        return unfinished_open(&converted, path, problem) && unfinished_close(&converted, false, problem);
    }
    file->made = !output_path_stat(place, &st);
    file->kept = place->in_proc;
    file->fd = output_path_open(place, O_WRONLY | O_CREAT, problem);
    return file->fd >= 0;
}

/* What is there stays until there is something to write. */
static bool open_file(struct recorded *file, const char *path, struct problem *problem)
{
    *file = (struct recorded){.fd = -1, .place.directory = -1, .kept = true};
    if (strcmp(path, "-") == 0) {
        file->fd = take_standard_output();
        return file->fd >= 0 || problem_set(problem, 0, "cannot open for writing: %s", strerror(errno));
    }
    file->kept = false;
    return output_path_find(&file->place, path, problem) && open_at(file, path, problem);
}

/* Nothing was recorded: removes the file if we made it. Its path may lead elsewhere by now, so it is removed from the
 * directory where it was made. */
static void withdraw(const struct recorded *file)
{
    struct stat ours, there;
    if (file->made && fstat(file->fd, &ours) == 0 && output_path_stat(&file->place, &there) &&
        ours.st_dev == there.st_dev && ours.st_ino == there.st_ino)
        unlinkat(file->place.directory, file->place.name, 0);
}

/* Recordings of each process are opened when it comes. That there is a folder for them is known before. */
static bool can_open(const char *path, struct problem *problem)
{
    const char *process = strstr(path, "%p"), *slash = strrchr(path, '/');
    struct unfinished u;
    if (slash != NULL && process < slash)
        return true; /* each has its own */
    return unfinished_open(&u, path, problem) && unfinished_close(&u, false, problem);
}

static bool empty(const struct recorded *file, struct problem *problem)
{
    struct stat st;
    bool full = !file->kept && fstat(file->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    return !full || ftruncate(file->fd, 0) == 0 ||
           problem_set(problem, 0, "what is there cannot be overwritten: %s", strerror(errno));
}

/* --- tapes --- */

static struct tape *tape_of(struct recording *r, uint32_t pid)
{
    for (size_t i = r->count; i-- > 0;)
        if (r->tape[i]->pid == pid && !r->tape[i]->ended)
            return r->tape[i];
    return NULL;
}

static const char *program_goes(const struct recording *r)
{
    return r->stop ? "the program is stopped (--on-full=drop lets it go on)"
                   : "the trace ends here, the program goes on";
}

/* Nothing more is kept. What there is stays. Called by the tape's own thread, too. */
static void broken_off(void *context, struct tape *t)
{
    struct recording *r = context;
    store_relaxed(&r->failed, true);
    if (t->damaged) {
        fprintf(stderr,
                "photofinish: record: %s: the program has written over the tape; the trace ends there\n",
                t->path);
        return;
    }
    bool ended = t->ended || r->child.ended;
    fprintf(stderr, "photofinish: record: %s: cannot write: %s%s%s\n", t->path, strerror(t->error),
            ended ? "" : "; ", ended ? "" : program_goes(r));
    if (r->stop && !ended)
        kill((pid_t)t->pid, SIGKILL);
}

/* %p is the process, -2 after it the second program that it is. */
static char *path_for(const struct recording *r, uint32_t pid)
{
    const char *p = r->of_each ? strstr(r->path, "%p") : NULL;
    unsigned before = 1;
    char *path, again[16] = "";
    for (size_t i = 0; i < r->count; i++)
        before += r->tape[i]->pid == pid;
    if (before > 1)
        snprintf(again, sizeof again, "-%u", before);
    if (p == NULL)
        return strdup(r->path);
    if (asprintf(&path, "%.*s%" PRIu32 "%s%s", (int)(p - r->path), r->path, pid, again, p + 2) < 0)
        tool_failed("out of memory");
    return path;
}

static bool start_tape(struct recording *r, struct tape *t, uint32_t pid)
{
    struct problem problem;
    struct recorded file = r->first;
    char *path = path_for(r, pid);
    bool good = !r->of_each || open_file(&file, path, &problem);
    if (r->of_each)
        output_path_free(&file.place);
    good = good && empty(&file, &problem);
    t->context = r;
    t->broke = broken_off;
    good = good && tape_start(t, pid, path, file.fd, &problem);
    if (!good) {
        fprintf(stderr, "photofinish: record: %s: %s\n", path, problem.reason);
        r->failed = true;
    }
    free(path);
    return good;
}

/* Processes that are gone. (Those that are not, but have left us, are ended with the program.) */
static void end_finished(struct recording *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (!r->tape[i]->ended && kill((pid_t)r->tape[i]->pid, 0) != 0 && errno == ESRCH)
            tape_end(r->tape[i]);
}

/* The memory of a new tape; -1: there is none for this process. */
static int new_tape(struct recording *r, uint32_t pid)
{
    struct tape *old = tape_of(r, pid);
    if (old != NULL) /* it has become another program */
        tape_end(old);
    end_finished(r);
    if (r->count > 0 && !r->of_each) {
        r->others++;
        return -1;
    }
    struct tape *t = mem_alloc(&r->mem, sizeof *t);
    if (!start_tape(r, t, pid)) {
        mem_free(&r->mem, t, sizeof *t);
        return -1;
    }
    r->tape = mem_reserve(&r->mem, r->tape, sizeof *r->tape, &r->capacity, r->count + 1);
    r->tape[r->count++] = t;
    tape_look(t);
    return t->shared;
}

/* --- messages --- */

static void answer(const struct guest *guest, bool granted, int memory)
{
    struct wire_verdict verdict = {
        .header = {.magic = WIRE_MAGIC, .kind = WIRE_VERDICT, .length = sizeof verdict}, .counts = granted};
    packet_answer(guest->socket, &verdict, memory);
}

static void take_tape_message(struct recording *r, const struct guest *guest, uint32_t pid, uint64_t what)
{
    if (what == 0) {
        int memory = new_tape(r, pid);
        answer(guest, memory >= 0, memory);
        return;
    }
    struct tape *t = tape_of(r, pid);
    if (t != NULL && what == WIRE_TAPE_MODULES)
        tape_look(t);
    answer(guest, t != NULL && what == WIRE_TAPE_MODULES, -1);
}

static bool take_message(void *context, struct guest *guest, struct packet *packet)
{
    struct recording *r = context;
    struct wire_verdict verdict;
    const struct wire_header *header = raw_header(packet->bytes, packet->length);
    uint64_t what;
    bool refused = header != NULL && header->kind == WIRE_REFUSED;
    r->heard = r->heard || (header != NULL && !refused);
    r->refused = r->refused || refused;
    if (header != NULL && header->kind == WIRE_TAPE && packet->length == sizeof *header + sizeof what) {
        memcpy(&what, header + 1, sizeof what);
        take_tape_message(r, guest, header->pid, what);
        return true;
    }
    enum desk_result result = desk_take(&r->desk, guest->client, packet->bytes, packet->length, -1, &verdict);
    if (result == DESK_ANSWER)
        packet_answer(guest->socket, &verdict, -1);
    return result != DESK_UNKNOWN;
}

/* --- the end --- */

static void tell(const struct recording *r, const struct tape *t)
{
    enum { TELLING = 10000 }; /* in a small one most is names */
    struct stat st;
    if (r->quiet)
        return;
    fprintf(stderr, "photofinish: recorded %" PRIu64 " accesses of process %" PRIu32 " in %s", t->accesses,
            t->pid, t->path);
    if (stat(t->path, &st) == 0 && S_ISREG(st.st_mode) && t->accesses >= TELLING)
        fprintf(stderr, " (%.1f bytes an access)", (double)st.st_size / (double)t->accesses);
    fputc('\n', stderr);
}

static void finish_tape(struct recording *r, struct tape *t)
{
    char own[64];
    bool whole = tape_end(t);
    snprintf(own, sizeof own, "/proc/self/fd/%d", t->file.fd);
    if (is_std(t->path) && convert_trace(own, t->path, NULL, &writer_std, !whole) != 0)
        r->failed = true;
    else if (whole)
        tell(r, t);
}

static int finish(struct recording *r, char **argv)
{
    int status = guests_status(&r->child, argv[0], STDERR_FILENO);
    for (size_t i = 0; i < r->count; i++)
        finish_tape(r, r->tape[i]);
    if (r->count == 0 && !r->of_each)
        withdraw(&r->first);
    if (!r->heard && r->refused)
        return status != EXIT_BAD_OPTIONS ? EXIT_TOOL_FAILED : EXIT_BAD_OPTIONS;
    if (!r->heard)
        guests_tell_unheard("record", argv[0], "recorded");
    else if (r->count == 0 && !r->failed && status != EXIT_BAD_OPTIONS) /* or it has said so itself */
        fprintf(stderr,
                "photofinish: record: %s: its runtime cannot record (was it linked with --pf-static?)\n",
                argv[0]);
    if (!r->heard || (r->count == 0 && !r->failed))
        return EXIT_BAD_OPTIONS;
    if (r->others > 0 && !r->quiet)
        fprintf(stderr,
                "photofinish: record: %" PRIu64
                " more %s of %s %s not in the trace (a %%p in FILE gives each its own)\n",
                r->others, r->others == 1 ? "process or program" : "processes or programs", argv[0],
                r->others == 1 ? "is" : "are");
    if (r->failed || r->refused)
        return EXIT_TOOL_FAILED;
    return status == 0 && r->desk.completeness.unseen > 0 ? EXIT_BAD_OPTIONS : status;
}

static int record(struct recording *r, bool dedupe, char **argv)
{
    struct problem problem;
    if (!(r->of_each ? can_open(r->path, &problem) : open_file(&r->first, r->path, &problem))) {
        cli_bad_usage("record: %s: %s", r->path, problem.reason);
        return EXIT_BAD_OPTIONS;
    }
    if (!child_start(&r->child, argv, dedupe ? "record" : "record_all", &problem)) {
        cli_bad_usage("record: %s: %s", argv[0], problem.reason);
        if (!r->of_each)
            withdraw(&r->first);
        return EXIT_BAD_OPTIONS;
    }
    /* Errors of ours to tell, not to die of; the program has its own way with them already. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    struct guests guests = {.child = &r->child, .said = take_message, .context = r};
    guests_serve(&guests);
    int code = finish(r, argv);
    guests_free(&guests);
    for (size_t i = 0; i < r->count; i++) {
        close(r->tape[i]->file.fd);
        tape_free(r->tape[i]);
        mem_free(&r->mem, r->tape[i], sizeof *r->tape[i]);
    }
    mem_free(&r->mem, r->tape, r->capacity * sizeof *r->tape);
    if (!r->of_each)
        output_path_free(&r->first.place);
    desk_close(&r->desk);
    return code;
}

int command_record(int argc, char **argv)
{
    const char *path = NULL, *on_full = "stop", *dedupe = "yes";
    bool quiet = false;
    const struct cli_option options[] = {
        {"o", "FILE",
         "the trace (.pft; STD if it ends in .std); with %p one for each process; - is standard output",
         OPTION_TEXT, &path},
        {"dedupe", "yes|no",
         "leave out what a thread accesses again before it next releases anything (default yes)", OPTION_TEXT,
         &dedupe},
        {"on-full", "stop|drop", "when there is no room: stop the program (default), or drop what follows",
         OPTION_TEXT, &on_full},
        {"quiet", NULL, "do not say what was recorded", OPTION_FLAG, &quiet},
    };
    const struct cli_command command = {
        .name = "record",
        .arguments = "-o FILE [--] PROG ARG...",
        .about = "Run a program that was built with pfcc, pfc++ or gcc -fsanitize=thread, and keep what it "
                 "does as a "
                 "trace",
        .more =
            "photofinish analyze FILE then finds the races of this execution, with any precise detector "
            "and as often "
            "as\n"
            "wanted; dump shows it, convert makes STD of it. However the program ends, the trace has "
            "what it did up "
            "to\n"
            "there. It is written while the program runs; without its last part it can be read with "
            "--salvage.\n\n"
            "With -o - what the program prints on standard output goes to standard error. --dedupe=yes "
            "leaves "
            "out\n"
            "only what no precise detector needs.\n\n"
            "Exit status: the program's, 128 + N if signal N killed it; 64 bad options, no such program, "
            "no\n"
            "instrumented code, or threads that were not seen; 70 when the trace could not be written, or not all of it.\n",
        .options = options,
        .option_count = array_length(options),
        .least_operands = 1,
        .most_operands = INT_MAX,
        .program_follows = true,
    };
    int operands, code;
    if (!cli_parse(&command, argc, argv, &operands, &code))
        return code == EXIT_BAD_INPUT ? EXIT_BAD_OPTIONS : code;
    argv[operands] = NULL;
    code = 0;
    if (path == NULL)
        code = cli_bad_usage("record: no trace to write: -o FILE is missing");
    else if (strcmp(on_full, "stop") != 0 && strcmp(on_full, "drop") != 0)
        code = cli_bad_usage("record: --on-full must be stop or drop");
    else if (strcmp(dedupe, "yes") != 0 && strcmp(dedupe, "no") != 0)
        code = cli_bad_usage("record: --dedupe must be yes or no");
    if (code != 0)
        return EXIT_BAD_OPTIONS;
    struct recording r = {.path = path,
                          .of_each = strstr(path, "%p") != NULL,
                          .stop = strcmp(on_full, "stop") == 0,
                          .quiet = quiet};
    desk_open(&r.desk);
    r.desk.log = STDERR_FILENO;
    return record(&r, strcmp(dedupe, "yes") == 0, argv);
}
