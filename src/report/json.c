/* The report as JSON, in the contract's shape (DESIGN §7). Races are written one at a time, so that a trace
 * with millions of them does not have to fit memory twice. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "report/report_json.h"
#include "trace/show.h"

json_t *report_json_text(struct name name)
{
    struct mem mem = {0};
    size_t length;
    char *shown = show_name(&mem, name, &length);
    json_t *result = json_stringn(shown, length);
    mem_free(&mem, shown, SHOWN_BYTES(name));
    return result;
}

static json_t *text(struct name name)
{
    return report_json_text(name);
}

static json_t *c_text(const char *s)
{
    return text((struct name){s, (uint32_t)strlen(s)});
}

static json_t *access_json(const struct report *r, const struct race_access *access)
{
    char number[16];
    struct name location = names_location(r->names, access->location, number);
    return json_pack("{s:o, s:I, s:o}", "thread", text(names_get(r->names, NAME_THREAD, access->thread)),
                     "event", (json_int_t)access->event, "location",
                     location.length > 0 ? text(location) : json_null());
}

static void put(json_t *value, FILE *out)
{
    if (value == NULL || json_dumpf(value, out, JSON_COMPACT | JSON_ENCODE_ANY) != 0)
        if (!ferror(out))
            tool_failed("out of memory while writing JSON");
    json_decref(value);
}

static void put_races(const struct report *r, FILE *out)
{
    fputs("[", out);
    for (size_t i = 0; i < r->race_count; i++) {
        const struct race *race = &r->races[i];
        fputs(i == 0 ? "\n    " : ",\n    ", out);
        put(json_pack("{s:o, s:s, s:o, s:o}", "variable",
                      text(names_get(r->names, NAME_VARIABLE, race->variable)), "kind",
                      race_kind_name[race->kind], "first", access_json(r, &race->first), "second",
                      access_json(r, &race->second)),
            out);
    }
    fputs(r->race_count > 0 ? "\n  ]" : "]", out);
}

/* Each racy variable once, in the order in which they became racy. */
static void put_racy_variables(const struct report *r, FILE *out)
{
    struct mem mem = {0};
    size_t bytes = r->names->of[NAME_VARIABLE].count + 1;
    bool *seen = mem_alloc(&mem, bytes);
    bool first = true;
    fputs("[", out);
    for (size_t i = 0; i < r->race_count; i++) {
        uint32_t variable = r->races[i].variable;
        if (seen[variable])
            continue;
        seen[variable] = true;
        fputs(first ? "" : ", ", out);
        put(text(names_get(r->names, NAME_VARIABLE, variable)), out);
        first = false;
    }
    fputs("]", out);
    mem_free(&mem, seen, bytes);
}

static void put_statistics(const struct report_statistics *s, FILE *out)
{
    json_t *rules = json_object();
    for (size_t i = 0; i < s->rule_count; i++)
        json_object_set_new(rules, s->rules[i].rule, json_integer((json_int_t)s->rules[i].fired));
    fputs(",\n  \"statistics\": ", out);
    put(json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:s}", "rules", rules, "accesses",
                  (json_int_t)s->accesses, "same_epoch", (json_int_t)s->same_epoch, "sync_events",
                  (json_int_t)s->sync_events, "max_clock", (json_int_t)s->max_clock, "read_shared",
                  (json_int_t)s->read_shared, "variable_bytes", (json_int_t)s->variable_bytes, "sync_bytes",
                  (json_int_t)s->sync_bytes, "peak_bytes", (json_int_t)s->peak_bytes, "seconds", s->seconds,
                  "note", s->note),
        out);
}

void report_json(const struct report *r, FILE *out)
{
    const struct name_table *of = r->names->of;
    fputs("{ \"tool\": \"photofinish\", \"version\": \"" PF_VERSION "\", \"detector\": ", out);
    put(c_text(r->detector), out);
    fprintf(out, ", \"precise\": %s, \"complete\": %s, \"trace\": ", r->precise ? "true" : "false",
            r->complete ? "true" : "false");
    put(c_text(r->trace), out);
    fprintf(out,
            ",\n  \"events\": %" PRIu64 ", \"threads\": %zu, \"locks\": %zu, \"variables\": %zu,"
            " \"volatiles\": %zu, \"barriers\": %zu,\n  \"races\": ",
            r->events, of[NAME_THREAD].count, of[NAME_LOCK].count, of[NAME_VARIABLE].count,
            of[NAME_VOLATILE].count, of[NAME_BARRIER].count);
    put_races(r, out);
    fputs(",\n  \"racy_variables\": ", out);
    put_racy_variables(r, out);
    if (r->statistics != NULL)
        put_statistics(r->statistics, out);
    fputs(" }\n", out);
}
