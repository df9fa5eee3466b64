/* The report as text, for people. Its first and last lines keep the shape that scripts look for. */
#include <inttypes.h>
#include <string.h>

#include "report/report.h"
#include "trace/show.h"

static const char *const first_word[] = {
    [RACE_WRITE_WRITE] = "write", [RACE_WRITE_READ] = "write", [RACE_READ_WRITE] = "read"};
static const char *const second_word[] = {
    [RACE_WRITE_WRITE] = "Write", [RACE_WRITE_READ] = "Read", [RACE_READ_WRITE] = "Write"};

static const char *trace_name(const struct report *r)
{
    return strcmp(r->trace, "-") == 0 ? "standard input" : r->trace;
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void put_count(FILE *out, uint64_t count, const char *what, const char *then)
{
    fprintf(out, "%" PRIu64 " %s%s%s", count, what, plural(count), then);
}

static void put_name(FILE *out, struct name name)
{
    show_name_to(out, name, 0);
}

static void put_access(FILE *out, const struct report *r, const struct race *race, const char *word,
                       const struct race_access *access)
{
    char number[16];
    struct name location = names_location(r->names, access->location, number);
    fprintf(out, "  %s of ", word);
    put_name(out, names_get(r->names, NAME_VARIABLE, race->variable));
    fputs(" by thread ", out);
    put_name(out, names_get(r->names, NAME_THREAD, access->thread));
    if (location.length > 0) {
        fputs(" at ", out);
        put_name(out, location);
    }
    fprintf(out, " (event %" PRIu64 ")\n", access->event);
}

static void put_race(FILE *out, const struct report *r, const struct race *race)
{
    char previous[32];
    snprintf(previous, sizeof previous, "Previous %s", first_word[race->kind]);
    fprintf(out, "==================\nWARNING: Photofinish: %sdata race (%s)\n",
            r->precise ? "" : "possible ", trace_name(r));
    put_access(out, r, race, second_word[race->kind], &race->second);
    put_access(out, r, race, previous, &race->first);
    if (r->precise)
        fprintf(out,
                "  Nothing orders them: no chain of lock, fork, join, volatile or barrier operations leads "
                "from event %" PRIu64 " to event %" PRIu64 ".\n",
                race->first.event, race->second.event);
    else
        fprintf(out,
                "  Imprecise: %s checks a locking discipline, not happens-before; the two may be ordered.\n",
                r->detector);
    fputs("==================\n", out);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

enum { MANY_VARIABLES = 1000 };

static void put_statistics(FILE *out, const struct report *r)
{
    const struct report_statistics *s = r->statistics;
    size_t variables = r->names->of[NAME_VARIABLE].count;
    fputs("Statistics\n", out);
    for (size_t i = 0; i < s->rule_count; i++)
        fprintf(out, "  %-26s %14" PRIu64 "  %6.2f%%\n", s->rules[i].rule, s->rules[i].fired,
                percent(s->rules[i].fired, s->accesses));
    fprintf(out, "  %-26s %14" PRIu64 "  %6.2f%% of accesses\n", "(of these, same epoch)", s->same_epoch,
            percent(s->same_epoch, s->accesses));
    fprintf(out, "  accesses %" PRIu64 ", synchronization events %" PRIu64 ", maximum clock %" PRIu64 "\n",
            s->accesses, s->sync_events, s->max_clock);
    fprintf(out, "  memory: %zu bytes for variables (", s->variable_bytes);
    if (variables >= MANY_VARIABLES) /* below, arrays are mostly room to grow */
        fprintf(out, "%.1f each, ", (double)s->variable_bytes / (double)variables);
    fprintf(out, "%" PRIu64 " read-shared), %zu bytes for synchronization, peak %zu\n", s->read_shared,
            s->sync_bytes, s->peak_bytes);
    fprintf(out, "  time: %.3f s, %.2f million events/s\n", s->seconds,
            s->seconds > 0 ? (double)r->events / s->seconds / 1e6 : 0);
    if (s->note[0] != '\0')
        fprintf(out, "  %s\n", s->note);
}

void report_text(const struct report *r, FILE *out)
{
    for (size_t i = 0; i < r->race_count; i++)
        put_race(out, r, &r->races[i]);
    if (r->statistics != NULL)
        put_statistics(out, r);
    const struct name_table *of = r->names->of;
    size_t racy = report_racy_variables(r);
    fprintf(out, "SUMMARY: Photofinish: ");
    if (!r->checked)
        fputs("nothing was checked", out);
    else if (racy == 0)
        fputs("no data race", out);
    else
        fprintf(out, "%zu %sdata race%s on %zu variable%s", r->race_count, r->precise ? "" : "possible ",
                plural(r->race_count), racy, plural(racy));
    fprintf(out, " in %s%s (%s%s; ", r->complete ? "" : "what is left of ", trace_name(r), r->detector,
            r->precise ? "" : ", imprecise");
    put_count(out, r->events, "event", ", ");
    put_count(out, of[NAME_THREAD].count, "thread", ", ");
    put_count(out, of[NAME_LOCK].count, "lock", ", ");
    put_count(out, of[NAME_VARIABLE].count, "variable", ")\n");
}
