#include "report/desk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output_path.h"
#include "report/default_suppressions.h"
#include "report/fingerprint.h"
#include "report/live_writers.h"

void desk_open(struct desk *d)
{
    struct problem problem;
    *d = (struct desk){.symbols = symbols_new(), .log = -1, .exit_code = -1, .program_status = -1};
    require(suppressions_add_text(&d->defaults, (const char *)default_supp, sizeof default_supp, &problem));
}

void desk_close(struct desk *d)
{
    symbols_free(d->symbols);
    suppressions_free(&d->suppressions);
    suppressions_free(&d->defaults);
    completeness_free(&d->completeness);
}

struct desk_client *desk_client_new(void)
{
    struct mem mem = {0};
    struct desk_client *c = mem_alloc(&mem, sizeof *c);
    options_default(&c->options);
    return c;
}

/* Its accesses may meet in several ways, such as both halves of `n++`: one race, and one line. */
struct told_race {
    struct told_race *next;
    char fingerprint[FINGERPRINT_BYTES];
};

void desk_client_free(struct desk_client *c)
{
    struct mem mem = {0};
    for (struct told_race *t = c->told, *next; t != NULL; t = next) {
        next = t->next;
        mem_free(&mem, t, sizeof *t);
    }
    suppressions_free(&c->suppressions);
    free(c->program);
    mem_free(&mem, c, sizeof *c);
}

/* --- where text goes --- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The path with %p for the process and %% for a percent sign; *has_process: there was a %p. */
static const char *expanded(struct pool *pool, const char *path, uint32_t pid, bool *has_process)
{
    const char *done = "";
    *has_process = false;
    for (const char *mark; (mark = strchr(path, '%')) != NULL; path = mark + 2) {
        int before = (int)(mark - path);
        if (mark[1] == 'p') {
            done = pool_format(pool, "%s%.*s%" PRIu32, done, before, path, pid);
            *has_process = true;
        } else {
            done = pool_format(pool, "%s%.*s%%", done, before, path);
            mark -= mark[1] != '%'; /* a lone one is itself */
        }
    }
    return pool_format(pool, "%s%s", done, path);
}

/* log_path[.program].pid[suffix], as TSan names it; a %p in log_path stands where the pid is wanted instead.
 */
static const char *log_name(struct pool *pool, const struct desk_client *c)
{
    const struct options *o = &c->options;
    bool with_name = o->log_exe_name && c->program != NULL, has_process;
    const char *path = expanded(pool, o->log_path, c->pid, &has_process);
    path = pool_format(pool, "%s%s%s", path, with_name ? "." : "", with_name ? base_name(c->program) : "");
    if (!has_process)
        path = pool_format(pool, "%s.%" PRIu32, path, c->pid);
    return pool_format(pool, "%s%s", path, o->log_suffix);
}

static bool logs_to_file(const struct desk *d, const struct desk_client *c)
{
    const char *path = c->options.log_path;
    return (d->log < 0 || d->clients_may_log) && path[0] != '\0' && strcmp(path, "stderr") != 0 &&
           strcmp(path, "stdout") != 0;
}

/* Other processes may be writing reports to the same place, and a pipe takes only 4,096 bytes in one piece:
 * ours keep each other out by a lock on it. A program that locks its own output, and waits for us, is not
 * waited for. */
static bool change_lock(int fd, int command, short type, pid_t *holder)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
    bool good = fcntl(fd, command, &lock) == 0;
    *holder = good && command == F_GETLK && lock.l_type != F_UNLCK ? lock.l_pid : 0;
    return good;
}

static void lock_output(int fd, uint32_t program)
{
    enum { MOST_MILLISECONDS = 10000 };
    pid_t holder;
    for (int i = 0; i < MOST_MILLISECONDS; i++) {
        if (change_lock(fd, F_SETLK, F_WRLCK, &holder) || (errno != EAGAIN && errno != EACCES))
            return;
        change_lock(fd, F_GETLK, F_WRLCK, &holder);
        if (holder == (pid_t)program)
            return;
        usleep(1000);
    }
}

static void unlock_output(int fd)
{
    pid_t holder;
    change_lock(fd, F_SETLK, F_UNLCK, &holder);
}

/* Text that is written in one piece, so that it is not mixed up with the program's. */
struct sheet {
    FILE *file;
    char *text;
    size_t length;
};

static bool write_all(int fd, const char *text, size_t length)
{
    while (fd >= 0 && length > 0) {
        ssize_t written = write(fd, text, length);
        if (written < 0 && errno != EINTR)
            return false;
        text += written > 0 ? written : 0;
        length -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

static bool write_locked(int fd, uint32_t program, const struct sheet *s)
{
    lock_output(fd, program);
    bool good = write_all(fd, s->text, s->length);
    int error = errno;
    unlock_output(fd);
    errno = error;
    return good;
}

static void sheet_open(struct sheet *s)
{
    *s = (struct sheet){0};
    s->file = open_memstream(&s->text, &s->length);
    if (s->file == NULL)
        tool_failed("out of memory while writing a report");
}

/* Into the client's log. False, after one line in place of all reports that are missing there. */
static bool sheet_log(const struct sheet *s, struct desk_client *c, int otherwise)
{
    struct pool pool = {0};
    struct problem problem;
    const char *path = log_name(&pool, c);
    int log = output_file_open(path, O_WRONLY | O_CREAT | O_APPEND, &problem);
    bool good = log >= 0 && (write_locked(log, c->pid, s) ||
                             problem_set(&problem, 0, "cannot write: %s", strerror(errno)));
    if (!good && !c->log_failed)
        dprintf(otherwise, "photofinish: log_path: %s: %s\n", path, problem.reason);
    c->log_failed |= !good;
    if (log >= 0)
        close(log);
    pool_free(&pool);
    return good;
}

bool desk_log_unwanted(int error)
{
    return error == EBADF || error == EPIPE;
}

static void sheet_write(struct sheet *s, struct desk *d, struct desk_client *c, int out)
{
    fclose(s->file);
    int fd = d->log >= 0 ? d->log : out;
    bool done = s->length == 0 || (logs_to_file(d, c) && sheet_log(s, c, fd));
    if (!done && !write_locked(fd, c->pid, s)) {
        d->log_error = d->log_error == 0 ? errno : d->log_error;
        c->log_failed |= !desk_log_unwanted(errno);
    }
    d->failed |= c->log_failed;
    free(s->text);
}

/* --- messages --- */

static char *directory_of(struct pool *pool, const char *path)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    return slash != NULL ? pool_text(pool, path, (size_t)(slash - path)) : NULL;
}

static bool take_settings(struct desk_client *c, const struct wire_header *message)
{
    struct raw_settings s;
    if (!raw_settings_unpack(&s, message) || s.options_size != sizeof c->options)
        return false;
    memcpy(&c->options, s.options, sizeof c->options);
    free(c->program);
    c->program = strndup(s.executable.text, s.executable.length);
    c->pid = message->pid;
    struct problem problem;
    struct pool pool = {0};
    const char *path = c->options.suppressions;
    suppressions_free(&c->suppressions);
    if (path[0] != '\0' &&
        !suppressions_add_file(&c->suppressions, path, directory_of(&pool, c->program), &problem))
        fprintf(stderr, "photofinish: %s: %s\n", path, problem.reason);
    if (!suppressions_add_text(&c->suppressions, s.suppressions.text, s.suppressions.length, &problem))
        fprintf(stderr, "photofinish: __tsan_default_suppressions: line %" PRIu64 ": %s\n", problem.line,
                problem.reason);
    pool_free(&pool);
    return true;
}

/* Suppressed races are counted and nothing else. */
static bool is_suppressed(struct desk *d, struct desk_client *c, const struct live_race *race)
{
    if (!suppressions_match(&d->suppressions, race) && !suppressions_match(&c->suppressions, race) &&
        !(c->options.default_suppressions && suppressions_match(&d->defaults, race)))
        return false;
    d->suppressed++;
    c->suppressed++;
    return true;
}

static void write_race(const struct desk *d, const struct desk_client *c, const struct live_race *race,
                       FILE *out, int fd)
{
    int terminal = logs_to_file(d, c) ? -1 : d->log >= 0 ? d->log : fd;
    bool precise = d->is_precise == NULL || d->is_precise(c->options.detector);
    if (d->quiet)
        live_race_summary(race, precise, out);
    else
        live_race_text(race, &c->options, precise, colors_wanted(c->options.color, terminal), out);
}

static bool is_known(const struct desk *d, const struct live_race *race, char fingerprint[FINGERPRINT_BYTES])
{
    return d->is_known != NULL && d->is_known(d->context, live_race_fingerprint(race, fingerprint));
}

static bool was_told(struct desk_client *c, const char *fingerprint)
{
    struct mem mem = {0};
    for (const struct told_race *t = c->told; t != NULL; t = t->next)
        if (strcmp(t->fingerprint, fingerprint) == 0)
            return true;
    struct told_race *t = mem_alloc(&mem, sizeof *t);
    memcpy(t->fingerprint, fingerprint, sizeof t->fingerprint);
    t->next = c->told;
    c->told = t;
    return false;
}

/* True: it counts: neither suppressed nor known. */
static bool take_race(struct desk *d, struct desk_client *c, const struct wire_header *message, int out)
{
    static struct raw_race raw;
    struct sheet sheet;
    struct pool pool = {0};
    struct live_race race;
    char fingerprint[FINGERPRINT_BYTES];
    bool whole = raw_race_unpack(&raw, message), known = false;
    if (whole) {
        live_race_make(&race, &raw, &c->options, d->symbols, &pool);
        known = is_known(d, &race, fingerprint);
        if (is_suppressed(d, c, &race) || (known && was_told(c, fingerprint))) {
            pool_free(&pool);
            return false;
        }
    }
    sheet_open(&sheet);
    if (known)
        live_race_known(&race, fingerprint, sheet.file);
    else if (whole)
        write_race(d, c, &race, sheet.file, out);
    if (whole && d->on_race != NULL)
        d->on_race(d->context, &race, known);
    if (!whole)
        fprintf(sheet.file,
                "WARNING: Photofinish: data race (pid=%" PRIu32 ")\n  Its report arrived damaged.\n",
                message->pid);
    sheet_write(&sheet, d, c, out);
    pool_free(&pool);
    d->known += known;
    d->reported += !known;
    c->reported += !known;
    return !known && !d->none_count;
}

static void put_matched(FILE *out, const struct suppressions *list)
{
    for (const struct suppression *s = list->first; s != NULL; s = s->next)
        if (s->hits > 0)
            fprintf(out, "%" PRIu64 " %s:%s\n", s->hits, suppression_type_name(s->type), s->pattern);
}

bool desk_put_unused(FILE *out, const struct suppressions *list)
{
    bool any = false;
    for (const struct suppression *s = list->first; s != NULL; s = s->next) {
        if (s->hits > 0 || !suppression_is_about_races(s->type))
            continue;
        if (!any)
            fprintf(out, "Photofinish: Unused suppressions:\n");
        fprintf(out, "%s:%s\n", suppression_type_name(s->type), s->pattern);
        any = true;
    }
    return any;
}

static void take_finish(struct desk *d, struct desk_client *c, const struct wire_header *message, int out)
{
    static struct raw_finish finish;
    struct sheet sheet;
    if (raw_finish_unpack(&finish, message)) {
        completeness_add(&d->completeness, &finish);
        d->completeness.off += !c->options.report_bugs;
        if (message->pid == d->program_pid)
            d->program_status = (int)finish.status;
    }
    sheet_open(&sheet);
    if (c->reported > 0 && d->log < 0) /* a desk for several processes counts them all at its end */
        fprintf(sheet.file, "Photofinish: reported %" PRIu32 " warning%s\n", c->reported,
                c->reported == 1 ? "" : "s");
    if (c->reported > 0 && d->log < 0)
        completeness_warning(&d->completeness, sheet.file);
    if (c->options.print_suppressions && c->suppressed > 0) {
        fprintf(sheet.file, "Photofinish: Matched %" PRIu32 " suppressions (pid=%" PRIu32 "):\n",
                c->suppressed, c->pid);
        put_matched(sheet.file, &d->suppressions);
        put_matched(sheet.file, &c->suppressions);
        put_matched(sheet.file, &d->defaults);
    }
    if (c->options.print_suppressions)
        desk_put_unused(sheet.file, &c->suppressions);
    if (c->options.verbosity > 0 && d->log < 0)
        completeness_text(&d->completeness, sheet.file);
    sheet_write(&sheet, d, c, out);
}

enum desk_result desk_take(struct desk *d, struct desk_client *c, const void *message, size_t length, int out,
                           struct wire_verdict *verdict)
{
    const struct wire_header *header = raw_header(message, length);
    bool counts = false;
    if (header == NULL)
        return DESK_UNKNOWN;
    switch (header->kind) {
    case WIRE_HELLO:
        return DESK_TAKEN;
    case WIRE_REFUSED:
        d->completeness.refused++;
        return DESK_REFUSED;
    case WIRE_UNSEEN:
        d->completeness.unseen++;
        return DESK_TAKEN;
    case WIRE_SETTINGS:
        return take_settings(c, header) ? DESK_TAKEN : DESK_UNKNOWN;
    case WIRE_RACE:
        counts = take_race(d, c, header, out);
        break;
    case WIRE_FINISH:
        take_finish(d, c, header, out);
        break;
    default:
        return DESK_UNKNOWN;
    }
    int exit_code = d->exit_code >= 0 ? d->exit_code : c->options.exitcode;
    *verdict = (struct wire_verdict){
        .header = {.magic = WIRE_MAGIC, .kind = WIRE_VERDICT, .length = sizeof *verdict, .pid = header->pid},
        .counts = counts,
        .reported = c->reported,
        .exit_code = (uint32_t)exit_code,
        .failed = c->log_failed};
    return DESK_ANSWER;
}
