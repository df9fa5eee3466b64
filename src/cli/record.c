/* photofinish record: runs a program and keeps what it does as a trace. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/guests.h"
#include "cli/tape.h"
#include "report/raw.h"

enum { EXIT_BAD_OPTIONS = 64 };

struct recording {
    struct child child;
    struct desk desk;
    const char *path; /* of the trace; with %p in it, of the traces */
    bool of_each;     /* it has */
    bool stop;        /* the program, when there is no room */
    bool quiet;
    bool heard, failed;
    struct output output; /* not of_each: opened before the program begins */
    struct mem mem;
    struct tape *tape;
    size_t count, capacity;
    uint64_t others; /* processes that are not recorded */
};

static bool is_std(const char *path)
{
    const struct writer_format *format = writer_format_for(path);
    return format == &writer_std;
}

static bool open_trace(struct output *output, const char *path, struct problem *problem)
{
    return output_open(output, path, is_std(path) ? &writer_std : &writer_pft, true, problem);
}

/* --- tapes --- */

static struct tape *tape_of(struct recording *r, uint32_t pid)
{
    for (size_t i = r->count; i-- > 0;)
        if (r->tape[i].pid == pid && !r->tape[i].ended)
            return &r->tape[i];
    return NULL;
}

static const char *program_goes(const struct recording *r)
{
    return r->stop ? "the program is stopped (--on-full=drop lets it go on)"
                   : "the trace ends here, the program goes on";
}

/* Nothing more is kept. What there is becomes the trace. */
static void broken_off(struct recording *r, struct tape *t)
{
    r->failed = true;
    if (t->damaged) {
        fprintf(stderr,
                "photofinish: record: %s: the program has written over the tape; the trace ends there\n",
                t->path);
        return;
    }
    fprintf(stderr, "photofinish: record: %s: cannot write: %s; %s\n", t->path, strerror(t->error),
            program_goes(r));
    if (r->stop && !r->child.ended)
        kill((pid_t)t->pid, SIGKILL);
}

static void end_tape(struct recording *r, struct tape *t)
{
    bool known = t->error != 0 || t->damaged;
    if (!tape_end(t) && !known)
        broken_off(r, t);
}

/* %p is the process, -2 after it the second program that it is. */
static char *path_for(const struct recording *r, uint32_t pid)
{
    const char *p = r->of_each ? strstr(r->path, "%p") : NULL;
    unsigned before = 1;
    char *path, again[16] = "";
    for (size_t i = 0; i < r->count; i++)
        before += r->tape[i].pid == pid;
    if (before > 1)
        snprintf(again, sizeof again, "-%u", before);
    if (p == NULL)
        return strdup(r->path);
    if (asprintf(&path, "%.*s%" PRIu32 "%s%s", (int)(p - r->path), r->path, pid, again, p + 2) < 0)
        tool_failed("out of memory");
    return path;
}

/* The memory of a new tape; -1: there is none for this process. */
static int new_tape(struct recording *r, uint32_t pid)
{
    struct problem problem;
    struct tape *old = tape_of(r, pid);
    if (old != NULL) /* it has become another program */
        end_tape(r, old);
    if (r->count > 0 && !r->of_each) {
        r->others++;
        return -1;
    }
    r->tape = mem_reserve(&r->mem, r->tape, sizeof *r->tape, &r->capacity, r->count + 1);
    char *path = path_for(r, pid);
    bool good = tape_start(&r->tape[r->count], pid, path, &problem);
    if (!good) {
        fprintf(stderr, "photofinish: record: %s: %s\n", path, problem.reason);
        r->failed = true;
    }
    free(path);
    if (!good)
        return -1;
    transcript_modules(r->tape[r->count].transcript, pid);
    return r->tape[r->count++].memory;
}

/* --- messages --- */

static void answer(const struct guest *guest, bool granted, int memory)
{
    struct wire_verdict verdict = {
        .header = {.magic = WIRE_MAGIC, .kind = WIRE_VERDICT, .length = sizeof verdict}, .counts = granted};
    packet_answer(guest->socket, &verdict, memory);
}

static void take_tape_message(struct recording *r, const struct guest *guest, uint32_t pid, uint64_t window)
{
    if (window == 0) {
        int memory = new_tape(r, pid);
        answer(guest, memory >= 0, memory);
        return;
    }
    struct tape *t = tape_of(r, pid);
    if (t != NULL)
        transcript_modules(t->transcript, pid);
    bool turned = t != NULL && window != WIRE_TAPE_MODULES && tape_turn(t, window);
    answer(guest, turned || (t != NULL && window == WIRE_TAPE_MODULES), -1);
    if (turned && !tape_keep(t)) /* while the program is at work on the next one */
        broken_off(r, t);
}

static bool take_message(void *context, struct guest *guest, struct packet *packet)
{
    struct recording *r = context;
    struct wire_verdict verdict;
    const struct wire_header *header = raw_header(packet->bytes, packet->length);
    uint64_t window;
    r->heard = r->heard || header != NULL;
    if (header != NULL && header->kind == WIRE_TAPE && packet->length == sizeof *header + sizeof window) {
        memcpy(&window, header + 1, sizeof window);
        take_tape_message(r, guest, header->pid, window);
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
    struct transcript_counts counts = transcript_counts(t->transcript);
    struct stat st;
    if (r->quiet)
        return;
    fprintf(stderr,
            "photofinish: recorded %" PRIu64 " accesses of process %" PRIu32 " as %" PRIu64 " events in %s",
            counts.accesses, t->pid, counts.events, t->path);
    if (stat(t->path, &st) == 0 && S_ISREG(st.st_mode) && counts.accesses > 0)
        fprintf(stderr, " (%.1f bytes an access)", (double)st.st_size / (double)counts.accesses);
    fputc('\n', stderr);
}

static void write_trace(struct recording *r, struct tape *t)
{
    struct problem problem;
    bool good = !r->of_each || open_trace(&r->output, t->path, &problem);
    if (good) {
        struct problem at_close;
        bool written = tape_transcribe(t, &r->output, &problem);
        good = output_close(&r->output, written, &at_close) && written;
        if (written && !good)
            problem = at_close;
    }
    if (good) {
        tell(r, t);
        return;
    }
    fprintf(stderr, "photofinish: record: %s: %s\n", t->path, problem.reason);
    r->failed = true;
}

static int finish(struct recording *r, char **argv)
{
    int status = guests_status(&r->child, argv[0], STDERR_FILENO);
    struct problem problem;
    for (size_t i = 0; i < r->count; i++)
        end_tape(r, &r->tape[i]);
    for (size_t i = 0; i < r->count; i++)
        write_trace(r, &r->tape[i]);
    if (r->count == 0 && !r->of_each)
        output_close(&r->output, false, &problem);
    if (!r->heard)
        guests_tell_unheard("record", argv[0], "recorded");
    else if (r->count == 0 && !r->failed)
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
    return r->failed ? EXIT_TOOL_FAILED : status;
}

static int record(struct recording *r, bool dedupe, char **argv)
{
    struct problem problem;
    if (!r->of_each && !open_trace(&r->output, r->path, &problem)) {
        cli_bad_usage("record: %s: %s", r->path, problem.reason);
        return EXIT_BAD_OPTIONS;
    }
    if (!child_start(&r->child, argv, dedupe ? "record" : "record_all", &problem)) {
        cli_bad_usage("record: %s: %s", argv[0], problem.reason);
        if (!r->of_each)
            output_close(&r->output, false, &problem);
        return EXIT_BAD_OPTIONS;
    }
    /* Errors of ours to tell, not to die of; the program has its own way with them already. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    struct guests guests = {.child = &r->child, .said = take_message, .context = r};
    guests_serve(&guests);
    int code = finish(r, argv);
    guests_free(&guests);
    for (size_t i = 0; i < r->count; i++)
        tape_free(&r->tape[i]);
    mem_free(&r->mem, r->tape, r->capacity * sizeof *r->tape);
    desk_close(&r->desk);
    return code;
}

int command_record(int argc, char **argv)
{
    const char *path = NULL, *on_full = "stop", *dedupe = "yes";
    bool quiet = false;
    const struct cli_option options[] = {
        {"o", "FILE", "the trace (.pft; STD if it ends in .std); %p in it is the process: one for each",
         OPTION_TEXT, &path},
        {"dedupe", "yes|no",
         "leave out accesses that a thread repeats between two synchronizations (default yes; precise "
         "detectors do not "
         "need them)",
         OPTION_TEXT, &dedupe},
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
        .more = "photofinish analyze FILE then finds the races of this execution, with any precise detector "
                "and as often "
                "as\n"
                "wanted; dump shows it, convert makes STD of it. However the program ends, the trace has "
                "what it did up "
                "to\n"
                "there. It appears when it is whole; until then there is a temporary file beside it.\n\n"
                "Exit status: the program's, 128 + N if signal N killed it; 64 bad options, no such program, "
                "or no\n"
                "instrumented code; 70 when the trace could not be written, or not all of it.\n",
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
