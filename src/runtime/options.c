#include "runtime/options.h"

#include <unistd.h>

#include "base/out.h"
#include "report/suppress_line.h"
#include "report/wire.h"
#include "runtime/channel.h"
#include "runtime/history.h"
#include "runtime/secure.h"

struct options runtime_options;
const char *options_default_suppressions = "";

/* Hooks that a program may define. */
const char *__tsan_default_options(void) __attribute__((weak, visibility("default")));
const char *__tsan_default_suppressions(void) __attribute__((weak, visibility("default")));

static bool same(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* --- files and the environment --- */

/* Ends the program, which has said why. */
static _Noreturn cold_path void give_up(void)
{
    channel_refuse();
    sys_exit_process(EXIT_BAD_OPTIONS);
}

/* Ends the program, with a line of three parts. */
static _Noreturn cold_path void refuse(const char *what, const char *which, const char *why)
{
    struct out out = {.fd = 2};
    out_text(&out, "photofinish: ");
    out_text(&out, what);
    out_text(&out, which);
    out_text(&out, why);
    out_text(&out, "\n");
    out_flush(&out);
    give_up();
}

/* The whole file in fresh memory, with a zero after it; NULL: cannot be read. A file that is larger than one of
 * suppressions may be is refused: it may have no end. */
static char *read_file(const char *path, size_t *length)
{
    enum { FIRST = 64 << 10 };
    size_t capacity = FIRST;
    long fd = secure_open(path);
    if (fd < 0)
        return NULL;
    char *text = arena_pages(capacity);
    long got;
    *length = 0;
    while ((got = sys_call3(SYS_read, fd, (long)(text + *length), (long)(capacity - 1 - *length))) > 0) {
        *length += (size_t)got;
        if (*length > SUPPRESSIONS_MOST_BYTES)
            refuse("file '", path, "' has more than 16 MiB: it is not one of options or suppressions");
        if (*length < capacity - 1)
            continue;
        char *larger = arena_pages(2 * capacity);
        for (size_t i = 0; i < *length; i++)
            larger[i] = text[i];
        arena_pages_free(text, capacity);
        text = larger;
        capacity *= 2;
    }
    sys_call3(SYS_close, fd, 0, 0);
    return got == 0 ? text : NULL; /* kept: it is small, and read once */
}
_Static_assert(SUPPRESSIONS_MOST_BYTES == 16 << 20, "the line above says so");

const char *options_value(const char *variable, const char *name)
{
    while (*name != '\0' && *variable == *name) {
        variable++;
        name++;
    }
    return *name == '\0' && *variable == '=' ? variable + 1 : NULL;
}

/* Before libc has been told of its environment, the kernel knows it. */
static const char *kernel_environment(const char *name)
{
    static char *text;
    static size_t length;
    if (text == NULL)
        text = read_file("/proc/self/environ", &length);
    for (size_t at = 0; text != NULL && at < length;) {
        const char *value = options_value(text + at, name);
        if (value != NULL)
            return value;
        while (at < length && text[at] != '\0')
            at++;
        at++;
    }
    return NULL;
}

const char *options_environment(const char *name)
{
    if (secure_mode())
        return NULL;
    if (environ == NULL)
        return kernel_environment(name);
    for (char **variable = environ; *variable != NULL; variable++) {
        const char *value = options_value(*variable, name);
        if (value != NULL)
            return value;
    }
    return NULL;
}

static bool is_ours(const char *variable)
{
    return options_value(variable, "PHOTOFINISH_OPTIONS") != NULL ||
           options_value(variable, "TSAN_OPTIONS") != NULL || options_value(variable, WIRE_VARIABLE) != NULL;
}

void options_forget_environment(void)
{
    char **kept = environ;
    for (char **variable = environ; variable != NULL && *variable != NULL; variable++)
        if (!is_ours(*variable))
            *kept++ = *variable;
    if (kept != NULL)
        *kept = NULL;
}

/* --- what is wrong with them --- */

static void say_unknown(const char *names)
{
    struct out out = {.fd = 2};
    out_text(&out, "photofinish: warning: unknown options: ");
    out_text(&out, names);
    out_text(&out, " (help=1 lists them)\n");
    out_flush(&out);
}

static void print_help(void)
{
    struct out out = {.fd = 2};
    out_text(&out, "Options of Photofinish (PHOTOFINISH_OPTIONS or TSAN_OPTIONS, name=value:name=value), "
                   "with defaults:\n");
    for (size_t i = 0; options_help_line(i) != NULL; i++) {
        out_text(&out, "  ");
        out_text(&out, options_help_line(i));
        out_text(&out, "\n");
    }
    out_text(&out, "TSan's other flags are accepted and have no effect.\n");
    out_flush(&out);
}

/* --- suppressions: refused now if they would be refused later --- */

static char *beside_program(const char *path)
{
    static char whole[8192];
    long length = sys_call3(SYS_readlink, (long)"/proc/self/exe", (long)whole, 4096);
    while (length > 0 && whole[length - 1] != '/')
        length--;
    if (length <= 0)
        return whole;
    for (size_t i = 0; i < OPTION_BYTES; i++) {
        whole[(size_t)length + i] = path[i];
        if (path[i] == '\0')
            break;
    }
    return whole;
}

static void check_suppressions(const char *path)
{
    size_t length;
    const char *text = read_file(path, &length);
    if (text == NULL && path[0] != '/')
        text = read_file(beside_program(path), &length);
    if (text == NULL)
        refuse("cannot read suppressions file '", path, "'");
    uint64_t number = 1;
    for (size_t at = 0; at < length; number++) {
        struct suppression_line line;
        size_t end = at;
        while (end < length && text[end] != '\n')
            end++;
        if (suppression_line_parse(text + at, end - at, &line) == SUPPRESSION_BAD) {
            struct out out = {.fd = 2};
            out_text(&out, "photofinish: ");
            out_text(&out, path);
            out_text(&out, ":");
            out_number(&out, number);
            out_text(&out, ": not a suppression (");
            out_text(&out, line.problem);
            out_text(&out, "): ");
            out_bytes(&out, text + at, min_size(end - at, 100));
            out_text(&out, "\n");
            out_flush(&out);
            give_up();
        }
        at = end + 1;
    }
}

/* --- the detector --- */

/* Before any of the program's code is asked for options: its accesses are the detector's first. */
static void choose_detector(void)
{
    const char *name = runtime_options.detector;
    if (host_choose == NULL && same(name, "record"))
        refuse("this program cannot be recorded: ", "its runtime has only fasttrack2",
               " (was it linked with --pf-static?)");
    if (host_choose == NULL && !same(name, "fasttrack2"))
        refuse("detector '", name,
               "': this program runs with a runtime that has only fasttrack2 (photofinish run "
               "--detector=NAME loads "
               "the other one, unless the program is linked with --pf-static)");
    if (host_choose != NULL && !host_choose(name))
        refuse("there is no detector '", name, "' (photofinish detectors lists them)");
}

/* --- where reports go --- */

/* Of log_path, if it could not be written to at the start. The program may still make the folder itself. */
static char lost_folder[OPTION_BYTES];

static bool is_writable(const char *folder)
{
    return sys_call3(SYS_access, (long)folder, W_OK | X_OK, 0) == 0;
}

/* A line at the start, not only with the first report, of which a clean run has none. */
static void check_log_folder(const char *path)
{
    size_t length = 0;
    if (secure_mode())
        return;
    for (size_t i = 0; path[i] != '\0' && path[i] != '%'; i++) {
        lost_folder[i] = path[i];
        length = path[i] == '/' ? i + 1 : length;
    }
    lost_folder[length] = '\0';
    if (length == 0 || is_writable(lost_folder)) {
        lost_folder[0] = '\0';
        return;
    }
    struct out out = {.fd = 2};
    out_text(&out, "photofinish: warning: log_path: ");
    out_text(&out, lost_folder);
    out_text(&out, " cannot be written to\n");
    out_flush(&out);
}

bool options_log_lost(void)
{
    return runtime_options.report_bugs && lost_folder[0] != '\0' && !is_writable(lost_folder);
}

/* --- loading --- */

bool options_unchecked;

/* Silence looks like a clean run. Not for what the program itself has chosen: its makers know of it. */
static void say_off(const char *what)
{
    struct out out = {.fd = 2};
    out_text(&out, "photofinish: ");
    out_text(&out, what);
    out_text(&out, "\n");
    out_flush(&out);
}

static void include_file(const char *path, bool must_exist, struct options_problem *problem)
{
    size_t length;
    if (path[0] == '\0')
        return;
    char *text = read_file(path, &length);
    if (text == NULL && must_exist)
        refuse("cannot read options file '", path, "'");
    if (text != NULL)
        options_parse(&runtime_options, text, problem);
}

static void take(const char *text, struct options_problem *problem)
{
    struct options *o = &runtime_options;
    if (text == NULL)
        return;
    options_parse(o, text, problem);
    if (secure_mode()) { /* these are the program's own options, which may name no file */
        o->include[0] = o->include_if_exists[0] = o->suppressions[0] = '\0';
        return;
    }
    static char path[OPTION_BYTES]; /* parsing the file may change the option that named it */
    for (int optional = 0; optional < 2; optional++) {
        char *named = optional ? o->include_if_exists : o->include;
        for (size_t i = 0; i < sizeof path; i++)
            path[i] = named[i];
        named[0] = '\0';
        include_file(path, !optional, problem);
    }
}

static void load(const char *defaults, struct options_problem *problem)
{
    *problem = (struct options_problem){.unknown = ""};
    options_default(&runtime_options);
    take(defaults, problem);
    take(options_environment("TSAN_OPTIONS"), problem);
    bool before = runtime_options.report_bugs;
    take(options_environment("PHOTOFINISH_OPTIONS"), problem);
    bool reports = !same(runtime_options.detector, "record") && !same(runtime_options.detector, "record_all");
    options_unchecked =
        same(runtime_options.detector, "nop") || (reports && before && !runtime_options.report_bugs);
}

bool options_record(void)
{
    static bool loaded;
    struct options_problem problem;
    if (host_choose == NULL)
        return false;
    if (!loaded)
        load(NULL, &problem);
    loaded = true;
    return same(runtime_options.detector, "record") || same(runtime_options.detector, "record_all");
}

/* Refuses what cannot be. */
static void check(const struct options_problem *problem)
{
    const struct options *o = &runtime_options;
    if (problem->bad[0] != '\0')
        refuse("bad option: ", problem->bad, "");
    if (same(o->history, "full"))
        refuse("bad option: ", "history=full", " is not in this version (history_size=7 keeps most)");
    if (o->suppressions[0] != '\0')
        check_suppressions(o->suppressions);
}

void options_load(void)
{
    struct options_problem problem;
    static char detector[OPTION_BYTES];
    load(NULL, &problem);
    if (!runtime_options.report_bugs)
        say_off("reports are off (report_bugs=0)");
    check(&problem); /* before there is a detector: a recording that is refused leaves no trace */
    choose_detector();
    if (same(runtime_options.detector, "nop"))
        say_off("nothing is checked (detector=nop)");
    for (size_t i = 0; i < sizeof detector; i++)
        detector[i] = runtime_options.detector[i];
    if (__tsan_default_options != NULL) { /* the program's code: what the environment says holds for it too */
        load(__tsan_default_options(), &problem);
        check(&problem);
    }
    if (problem.unknown[0] != '\0')
        say_unknown(problem.unknown);
    if (!same(detector, runtime_options.detector))
        refuse("detector '", runtime_options.detector, "': only the environment can choose it");
    history_size = (unsigned)runtime_options.history_size;
    if (runtime_options.help)
        print_help();
    check_log_folder(runtime_options.log_path);
    const char *defaults = __tsan_default_suppressions != NULL ? __tsan_default_suppressions() : NULL;
    options_default_suppressions = defaults != NULL ? defaults : "";
}
