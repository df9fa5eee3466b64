/* Races as SARIF 2.1.0, in the part of it that code hosts take: every result has a location with a relative
 * path and a line; the second access is a related location, and both stacks are a code flow. */
#include <inttypes.h>
#include <string.h>

#include "report/headline.h"
#include "report/live_report.h"
#include "report/source_place.h"

#define ROOT "%SRCROOT%"

struct sarif {
    const struct live_report *report;
    const char *directory;
    struct pool pool; /* of the result at hand */
};

/* --- texts --- */

/* A path as a URI has it. */
static const char *uri(struct pool *pool, const char *path)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/+@!$'()*,;=&";
    char *out = pool_take(pool, strlen(path) * 3 + 1), *at = out;
    for (; *path != '\0'; path++) {
        if (strchr(plain, *path) != NULL)
            *at++ = *path;
        else
            at += sprintf(at, "%%%02X", (unsigned char)*path);
    }
    return out;
}

/* Text of ours and of the program in a message, where brackets make links and braces stand for arguments. */
static const char *escaped(struct pool *pool, const char *text)
{
    char *out = pool_take(pool, strlen(text) * 2 + 1), *at = out;
    for (; *text != '\0'; text++) {
        if (strchr("\\[]", *text) != NULL)
            *at++ = '\\';
        if (strchr("{}", *text) != NULL)
            *at++ = *text;
        *at++ = *text;
    }
    return out;
}

static json_t *message(const char *text)
{
    return json_pack("{s:o}", "text", json_string(text));
}

/* --- rules --- */

enum rule { RULE_RACE, RULE_FREE, RULE_POSSIBLE };

static const struct {
    const char *id, *name, *title, *about, *level;
} rules[] = {
    [RULE_RACE] =
        {"data-race", "DataRace", "Data race",
         "Two threads accessed the same memory, at least one of them wrote, and nothing ordered the two.",
         "error"},
    [RULE_FREE] = {"data-race-free", "DataRaceWithFree", "Data race with a free",
                   "A thread freed memory that another one accessed, and nothing ordered the two.", "error"},
    [RULE_POSSIBLE] =
        {"possible-data-race", "PossibleDataRace", "Possible data race",
         "Two threads accessed the same memory without a lock in common. The detector that was used checks a "
         "locking discipline: the two may be ordered by something else.",
         "warning"},
};

static const char help[] =
    "Order the two accesses: hold the same lock around both, join the thread before the second, or make "
    "the variable atomic. The related location is the other access; the code flow has both stacks.";

static enum rule rule_of(const struct sarif *s, const struct live_race *r)
{
    if (!s->report->precise)
        return RULE_POSSIBLE;
    return r->current.is_free || r->earlier.is_free ? RULE_FREE : RULE_RACE;
}

static json_t *rules_json(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < array_length(rules); i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:{s:s}, s:{s:s}, s:{s:s}, s:{s:s}, s:{s:[s, s], s:s}}",
                                        "id", rules[i].id, "name", rules[i].name, "shortDescription", "text",
                                        rules[i].title, "fullDescription", "text", rules[i].about, "help",
                                        "text", help, "defaultConfiguration", "level", rules[i].level,
                                        "properties", "tags", "concurrency", "correctness", "precision",
                                        i == RULE_POSSIBLE ? "medium" : "very-high"));
    return list;
}

/* --- locations --- */

static json_t *region(const struct source_place *p)
{
    json_t *o = json_pack("{s:I}", "startLine", (json_int_t)p->line);
    if (p->column > 0)
        json_object_set_new(o, "startColumn", json_integer((json_int_t)p->column));
    return o;
}

static json_t *location(struct sarif *s, const struct source_place *p, const char *text)
{
    json_t *o = json_pack("{s:{s:{s:o, s:s}, s:o}}", "physicalLocation", "artifactLocation", "uri",
                          json_string(uri(&s->pool, p->path)), "uriBaseId", ROOT, "region", region(p));
    if (text != NULL)
        json_object_set_new(o, "message", message(text));
    if (p->frame != NULL && p->frame->function != NULL)
        json_object_set_new(o, "logicalLocations",
                            json_pack("[{s:o, s:s}]", "fullyQualifiedName", json_string(p->frame->function),
                                      "kind", "function"));
    return o;
}

/* Where nothing of the stack lies in the project, the program stands for it: hosts refuse a result that is
 * nowhere. */
static struct source_place place_or_program(struct sarif *s, const struct live_stack *stack)
{
    struct source_place place;
    if (source_place_of_stack(stack, s->directory, &s->pool, &place))
        return place;
    const char *program = s->report->program != NULL ? s->report->program : "program";
    const char *path = source_relative(&s->pool, s->directory, program), *slash = strrchr(program, '/');
    if (path == NULL)
        path = slash != NULL && slash[1] != '\0' ? slash + 1 : program;
    return (struct source_place){.path = path, .line = 1};
}

static void add_related(struct sarif *s, json_t *list, const struct live_stack *stack, const char *text)
{
    struct source_place place;
    if (!source_place_of_stack(stack, s->directory, &s->pool, &place))
        return;
    json_t *o = location(s, &place, text);
    json_object_set_new(o, "id", json_integer((json_int_t)json_array_size(list) + 1));
    json_array_append_new(list, o);
}

/* The other access first, as number 1, known place or not. */
static json_t *related(struct sarif *s, const struct live_race *r)
{
    json_t *list = json_array();
    struct source_place other = place_or_program(s, &r->earlier.stack);
    json_t *o = location(s, &other,
                         pool_format(&s->pool, "The earlier access: %s",
                                     escaped(&s->pool, live_access_headline(&r->earlier, &s->pool))));
    json_object_set_new(o, "id", json_integer(1));
    json_array_append_new(list, o);
    add_related(s, list, &r->location.stack, "The memory was allocated here");
    add_related(s, list, &r->location.free_stack, "The memory was freed here");
    for (size_t i = 0; i < r->thread_count; i++)
        add_related(s, list, &r->thread[i].stack,
                    pool_format(&s->pool, "Thread T%" PRIu64 " was created here", r->thread[i].id));
    return list;
}

/* --- code flow --- */

static json_t *thread_flow(struct sarif *s, const struct live_access *a, const char *what)
{
    json_t *list = json_array();
    struct source_place place;
    for (size_t i = a->stack.count; i-- > 0;)
        if (source_place_of_frame(&a->stack.frame[i], s->directory, &s->pool, &place)) {
            const char *function = place.frame->function != NULL ? place.frame->function : "?";
            json_array_append_new(
                list, json_pack("{s:o}", "location", location(s, &place, escaped(&s->pool, function))));
        }
    const char *text =
        pool_format(&s->pool, "%s: %s", what, escaped(&s->pool, live_access_headline(a, &s->pool)));
    if (json_array_size(list) == 0) {
        place = place_or_program(s, &a->stack);
        json_array_append_new(list, json_pack("{s:o}", "location", location(s, &place, text)));
    } else {
        json_t *last = json_array_get(list, json_array_size(list) - 1);
        json_object_set_new(json_object_get(last, "location"), "message", message(text));
    }
    json_t *flow = json_pack("{s:o}", "locations", list);
    if (a->thread != NULL)
        json_object_set_new(
            flow, "id",
            json_string(a->thread->id == 0 ? "main" : pool_format(&s->pool, "T%" PRIu64, a->thread->id)));
    return flow;
}

/* --- results --- */

static json_t *result(struct sarif *s, const struct found_race *found, bool with_baseline)
{
    const struct live_race *r = &found->race;
    enum rule rule = rule_of(s, r);
    struct source_place here = place_or_program(s, &r->current.stack);
    const char *text = pool_format(&s->pool, "%s ([the earlier access](1)). %s",
                                   escaped(&s->pool, live_race_headline(r, s->report->precise, &s->pool)),
                                   escaped(&s->pool, found->explain));
    if (r->shape.name != NULL)
        text = pool_format(&s->pool, "%s What usually fixes this (%s): %s", text, r->shape.name,
                           escaped(&s->pool, r->shape.advice));
    json_t *o = json_pack(
        "{s:s, s:i, s:s, s:o, s:[o], s:o, s:[{s:[o, o]}], s:{s:s, s:s}, s:I}", "ruleId", rules[rule].id,
        "ruleIndex", (int)rule, "level", rules[rule].level, "message", message(text), "locations",
        location(s, &here, NULL), "relatedLocations", related(s, r), "codeFlows", "threadFlows",
        thread_flow(s, &r->earlier, "The earlier access"), thread_flow(s, &r->current, "The later access"),
        "partialFingerprints", "photofinishRace/v1", found->fingerprint, "primaryLocationLineHash",
        pool_format(&s->pool, "%s:1", found->fingerprint), "occurrenceCount", (json_int_t)found->times);
    if (with_baseline)
        json_object_set_new(o, "baselineState", json_string(found->known ? "unchanged" : "new"));
    return o;
}

static json_t *results_json(struct sarif *s)
{
    json_t *list = json_array();
    bool with_baseline = json_object_get(s->report->root, "known") != NULL;
    for (size_t i = 0; i < s->report->count; i++) {
        json_array_append_new(list, result(s, &s->report->race[i], with_baseline));
        pool_free(&s->pool);
    }
    return list;
}

void live_report_sarif(const struct live_report *report, const char *directory, FILE *out)
{
    struct sarif s = {.report = report, .directory = directory != NULL ? directory : "/"};
    json_t *results = results_json(&s);
    json_t *root =
        json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:s, s:o}}, s:{s:{s:o}}, s:[{s:b}], s:o}]}", "$schema",
                  "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs", "tool",
                  "driver", "name", "Photofinish", "version", PF_VERSION, "semanticVersion", PF_VERSION,
                  "rules", rules_json(), "originalUriBaseIds", ROOT, "uri",
                  json_string(pool_format(&s.pool, "file://%s/", uri(&s.pool, s.directory))), "invocations",
                  "executionSuccessful", live_report_doubt(report) == NULL, "results", results);
    pool_free(&s.pool);
    require(root != NULL);
    json_dumpf(root, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(root);
}
