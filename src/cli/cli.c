#include "cli/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "detect/detectors.h"

int cli_bad_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fflush(stdout);
    fputs("photofinish: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return EXIT_BAD_INPUT;
}

int cli_bad_input(const char *place, const struct problem *problem)
{
    if (problem->line == 0)
        return cli_bad_usage("%s: %s", place, problem->reason);
    return cli_bad_usage("%s:%" PRIu64 ": %s", place, problem->line, problem->reason);
}

int cli_bad_output(const char *place, const struct problem *problem)
{
    cli_bad_input(place, problem);
    return EXIT_TOOL_FAILED;
}

int cli_finish(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "photofinish: cannot write standard output: %s\n", strerror(errno));
    return EXIT_TOOL_FAILED;
}

/* --- help --- */

static const char *dashes(const struct cli_option *o)
{
    return o->name[1] == '\0' ? "-" : "--";
}

static void print_option(const struct cli_option *o)
{
    char left[64];
    if (o->kind == OPTION_PERHAPS_TEXT)
        snprintf(left, sizeof left, "%s%s[=%s]", dashes(o), o->name, o->argument);
    else if (o->argument == NULL)
        snprintf(left, sizeof left, "%s%s", dashes(o), o->name);
    else
        snprintf(left, sizeof left, "%s%s%s%s", dashes(o), o->name, dashes(o)[1] ? "=" : " ", o->argument);
    printf("  %-22s %s\n", left, o->help);
}

static void print_help(const struct cli_command *c)
{
    printf("usage: photofinish %s [OPTION]...%s%s\n\n%s.\n\nOptions:\n", c->name,
           c->arguments[0] != '\0' ? " " : "", c->arguments, c->about);
    for (size_t i = 0; i < c->option_count; i++)
        print_option(&c->options[i]);
    printf("  %-22s %s\n", "--help", "show this and exit");
    if (c->more[0] != '\0')
        printf("\n%s", c->more);
}

/* --- parsing --- */

static const struct cli_option *find_option(const struct cli_command *c, const char *name, size_t length)
{
    for (size_t i = 0; i < c->option_count; i++)
        if (strlen(c->options[i].name) == length && memcmp(c->options[i].name, name, length) == 0)
            return &c->options[i];
    return NULL;
}

static bool set_number(const struct cli_command *c, const struct cli_option *o, const char *text)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || text[0] == '-') {
        cli_bad_usage("%s: %s%s needs a whole number, not '%s'", c->name, dashes(o), o->name, text);
        return false;
    }
    *(uint64_t *)o->value = number;
    return true;
}

/* Sets the option from its value (NULL: none was attached); takes the next argument where it needs one. */
static bool set_option(const struct cli_command *c, const struct cli_option *o, const char *value,
                       char **argv, int argc, int *at)
{
    if (o->kind == OPTION_FLAG) {
        if (value != NULL) {
            cli_bad_usage("%s: %s%s takes no value", c->name, dashes(o), o->name);
            return false;
        }
        *(bool *)o->value = true;
        return true;
    }
    if (value == NULL && o->kind == OPTION_PERHAPS_TEXT)
        value = "-";
    if (value == NULL) {
        if (*at + 1 >= argc) {
            cli_bad_usage("%s: %s%s needs a value", c->name, dashes(o), o->name);
            return false;
        }
        value = argv[++*at];
    }
    if (value[0] == '\0') {
        cli_bad_usage("%s: %s%s needs a value", c->name, dashes(o), o->name);
        return false;
    }
    if (o->kind == OPTION_NUMBER)
        return set_number(c, o, value);
    *(const char **)o->value = value;
    return true;
}

int cli_no_detector(const char *command, const char *name)
{
    struct nearest n = {.wanted = name, .length = strlen(name)};
    for (const struct detector *const *d = detectors; *d != NULL; d++)
        nearest_consider(&n, (*d)->name);
    if (n.name != NULL)
        return cli_bad_usage("%s: no detector '%s': did you mean '%s'? (photofinish detectors lists them)",
                             command, name, n.name);
    return cli_bad_usage("%s: no detector '%s' (photofinish detectors lists them)", command, name);
}

static void tell_unknown(const struct cli_command *c, const char *argument, size_t length)
{
    struct nearest n = {.wanted = argument + 2, .length = length};
    nearest_consider(&n, "help");
    for (size_t i = 0; i < c->option_count; i++)
        if (dashes(&c->options[i])[1] != '\0')
            nearest_consider(&n, c->options[i].name);
    if (argument[1] == '-' && n.name != NULL)
        cli_bad_usage("%s: unknown option '%.*s': did you mean '--%s'? (see photofinish %s --help)", c->name,
                      (int)length + 2, argument, n.name, c->name);
    else
        cli_bad_usage("%s: unknown option '%s' (see photofinish %s --help)", c->name, argument, c->name);
}

static bool parse_option(const struct cli_command *c, char **argv, int argc, int *at)
{
    const char *argument = argv[*at];
    bool is_long = argument[1] == '-';
    const char *name = argument + (is_long ? 2 : 1);
    size_t length = is_long ? strcspn(name, "=") : 1;
    const struct cli_option *o = find_option(c, name, length);
    if (o == NULL || is_long == (length == 1)) {
        tell_unknown(c, argument, length);
        return false;
    }
    const char *value = name[length] == '\0' ? NULL : name + length + (is_long ? 1 : 0);
    return set_option(c, o, value, argv, argc, at);
}

static bool is_option(const char *argument)
{
    return argument[0] == '-' && argument[1] != '\0'; /* "-" alone is standard input or output */
}

bool cli_parse(const struct cli_command *c, int argc, char **argv, int *operands, int *exit_code)
{
    int count = 0;
    bool only_operands = false;
    *exit_code = EXIT_BAD_INPUT;
    for (int i = 1; i < argc; i++) {
        if (only_operands || !is_option(argv[i])) {
            argv[count++] = argv[i];
            only_operands |= c->program_follows;
        } else if (strcmp(argv[i], "--") == 0) {
            only_operands = true;
        } else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_help(c);
            *exit_code = cli_finish(0);
            return false;
        } else if (!parse_option(c, argv, argc, &i)) {
            return false;
        }
    }
    if (count < c->least_operands || count > c->most_operands) {
        if (c->most_operands == 0)
            cli_bad_usage("%s takes no operand (see photofinish %s --help)", c->name, c->name);
        else if (count == 0 && argc > 2 && !is_option(argv[argc - 1])) /* no operand: an option took it */
            cli_bad_usage("%s: expected %s: '%s' is the value of %s (see photofinish %s --help)", c->name,
                          c->arguments, argv[argc - 1], argv[argc - 2], c->name);
        else
            cli_bad_usage("%s: expected %s%s (see photofinish %s --help)", c->name, c->arguments,
                          count > c->most_operands ? " and nothing more" : "", c->name);
        return false;
    }
    *operands = count;
    return true;
}

bool cli_trace_format(const struct cli_command *command, const char *name, const struct trace_format **format)
{
    *format = strcmp(name, "auto") == 0 ? NULL : trace_format_named(name);
    if (*format != NULL || strcmp(name, "auto") == 0)
        return true;
    cli_bad_usage("%s: no format '%s' (auto, std, rr, csv, pft)", command->name, name);
    return false;
}
