#include "report/live_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/completeness.h"
#include "report/fingerprint.h"
#include "trace/pft.h"
#include "report/live_read.h"
#include "report/live_writers.h"

static bool take_race(struct live_report *r, struct found_race *found, json_t *json, struct problem *problem)
{
    char fingerprint[FINGERPRINT_BYTES];
    *found = (struct found_race){.json = json};
    if (!live_race_read(&found->race, json, &r->pool, problem))
        return false;
    found->fingerprint = json_string_value(json_object_get(json, "fingerprint"));
    if (found->fingerprint == NULL) /* written before there were any */
        found->fingerprint = pool_format(&r->pool, "%s", live_race_fingerprint(&found->race, fingerprint));
    found->explain = json_string_value(json_object_get(json, "explain"));
    if (found->explain == NULL)
        found->explain = live_race_explain(&found->race, &r->pool);
    json_int_t times = json_integer_value(json_object_get(json, "times"));
    found->times = times > 1 ? (uint64_t)times : 1;
    found->known = json_is_true(json_object_get(json, "known"));
    return true;
}

bool live_report_take(struct live_report *r, json_t *root, struct problem *problem)
{
    *r = (struct live_report){.root = root};
    const json_t *races = json_object_get(root, "races");
    const char *tool = json_string_value(json_object_get(root, "tool"));
    if (tool == NULL || strcmp(tool, "photofinish") != 0 || !json_is_array(races))
        return problem_set(problem, 0, "not a report of photofinish run --json");
    if (json_object_get(root, "trace") != NULL)
        return problem_set(problem, 0,
                           "a report of photofinish analyze; only those of photofinish run can be used here");
    r->program = json_string_value(json_object_get(root, "program"));
    r->detector = json_string_value(json_object_get(root, "detector"));
    r->precise = !json_is_false(json_object_get(root, "precise"));
    r->race = pool_take(&r->pool, (json_array_size(races) + 1) * sizeof *r->race);
    for (; r->count < json_array_size(races); r->count++)
        if (!take_race(r, &r->race[r->count], json_array_get(races, r->count), problem))
            return false;
    return true;
}

/* A report that is read, piece by piece. */
struct input {
    FILE *file;
    size_t left; /* of what may be read: a larger one is no report, and may have no end */
    bool too_large;
};

/* Memory for the report that is being read. A real one takes 7 times its length, "{}," 80 times: without a limit a file that
 * is not too large could fill all memory. */
static struct {
    size_t taken, most;
    bool too_large;
} json_memory;

static void *json_take(size_t size)
{
    json_memory.taken += size;
    json_memory.too_large |= json_memory.taken > json_memory.most;
    return json_memory.too_large ? NULL : malloc(size);
}

static void json_may_take(size_t bytes)
{
    enum { FOR_EACH_BYTE = 16 };
    json_memory.most += FOR_EACH_BYTE * bytes;
}

static size_t read_piece(void *bytes, size_t room, void *context)
{
    struct input *in = context;
    size_t got = fread(bytes, 1, min_size(room, in->left), in->file);
    in->left -= got;
    json_may_take(got);
    in->too_large = in->left == 0;
    return in->too_large ? (size_t)-1 : got;
}

static json_t *read_json(FILE *file, const char *path, struct problem *problem)
{
    enum { MOST_BYTES = 256 << 20, MEMORY_FOR_ANY = 1 << 20 };
    json_error_t error;
    struct input in = {file, MOST_BYTES, false};
    errno = 0;
    json_memory.taken = json_memory.most = 0;
    json_memory.too_large = false;
    json_may_take(MEMORY_FOR_ANY);
    json_set_alloc_funcs(json_take, free);
    json_t *root = json_load_callback(read_piece, &in, JSON_REJECT_DUPLICATES, &error);
    json_set_alloc_funcs(malloc, free);
    int unreadable = ferror(file) ? errno : 0;
    if (root != NULL && unreadable == 0)
        return root;
    json_decref(root);
    if (unreadable != 0)
        problem_set(problem, 0, "cannot read: %s", strerror(unreadable));
    else if (in.too_large)
        problem_set(problem, 0, "more than %d MiB: not a report", MOST_BYTES >> 20);
    else if (json_memory.too_large)
        problem_set(problem, 0, "it needs too much memory for its size: not a report");
    else if (error.text[0] == '\0') /* all that is wrong with the file has a text */
        tool_failed("out of memory while reading %s", path);
    else
        problem_set(problem, error.line > 0 ? (uint64_t)error.line : 0, "not JSON: %s", error.text);
    return NULL;
}

bool live_report_load(struct live_report *r, const char *path, struct problem *problem)
{
    *r = (struct live_report){.root = NULL};
    FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    if (in == NULL)
        return problem_set(problem, 0, "cannot open: %m");
    int first = getc(in);
    ungetc(first, in);
    bool is_trace = first == (unsigned char)PFT_MAGIC[0];
    json_t *root = is_trace ? NULL : read_json(in, path, problem);
    if (in != stdin)
        fclose(in);
    if (is_trace)
        return problem_set(problem, 0, "a trace, not a report (photofinish analyze finds its races)");
    return root != NULL && live_report_take(r, root, problem);
}

void live_report_free(struct live_report *r)
{
    json_decref(r->root);
    pool_free(&r->pool);
}

/* --- merging --- */

/* The runs that a report is of: those it was merged from, or itself. */
static void add_runs(json_t *runs, const struct live_report *r)
{
    static const char *const members[] = {"program",  "arguments",  "detector",     "exit_status",   "signal",
                                          "reported", "suppressed", "completeness", "program_status"};
    const json_t *merged = json_object_get(r->root, "runs");
    if (json_is_array(merged)) {
        json_array_extend(runs, (json_t *)merged);
        return;
    }
    json_t *run = json_object();
    for (size_t i = 0; i < array_length(members); i++)
        if (json_object_get(r->root, members[i]) != NULL)
            json_object_set(run, members[i], json_object_get(r->root, members[i]));
    json_array_append_new(runs, run);
}

/* The numbers of a race's runs go on from `before`. */
static void add_run_numbers(json_t *to, const json_t *race, size_t before)
{
    const json_t *own = json_object_get(race, "runs");
    if (!json_is_array(own))
        json_array_append_new(to, json_integer((json_int_t)before));
    for (size_t i = 0; i < json_array_size(own); i++)
        json_array_append_new(to,
                              json_integer((json_int_t)before + json_integer_value(json_array_get(own, i))));
}

/* `seen` maps fingerprints to what is already in `races`. */
static void add_race(json_t *races, json_t *seen, const struct found_race *found, size_t runs_before)
{
    json_t *race = json_object_get(seen, found->fingerprint);
    if (race == NULL) {
        race = json_copy(found->json);
        json_object_set_new(race, "fingerprint", json_string(found->fingerprint));
        json_object_set_new(race, "times", json_integer((json_int_t)found->times));
        json_object_set_new(race, "runs", json_array());
        json_object_set(seen, found->fingerprint, race);
        json_array_append_new(races, race);
    } else {
        json_int_t times = json_integer_value(json_object_get(race, "times"));
        json_object_set_new(race, "times", json_integer(times + (json_int_t)found->times));
        if (!found->known)
            json_object_del(race, "known"); /* new in one run is new */
    }
    add_run_numbers(json_object_get(race, "runs"), found->json, runs_before);
}

/* What all of them say; null if they differ. */
static json_t *common_member(struct live_report *const *reports, const char *key)
{
    json_t *value = json_object_get(reports[0]->root, key);
    for (size_t i = 1; reports[i] != NULL; i++)
        if (!json_equal(value, json_object_get(reports[i]->root, key)))
            return json_null();
    return value != NULL ? json_incref(value) : json_null();
}

json_t *live_report_merge(struct live_report *const *reports)
{
    json_t *runs = json_array(), *races = json_array(), *seen = json_object();
    json_int_t suppressed = 0;
    bool precise = true;
    for (size_t i = 0; reports[i] != NULL; i++) {
        size_t before = json_array_size(runs);
        add_runs(runs, reports[i]);
        for (size_t k = 0; k < reports[i]->count; k++)
            add_race(races, seen, &reports[i]->race[k], before);
        suppressed += json_integer_value(json_object_get(reports[i]->root, "suppressed"));
        precise &= reports[i]->precise;
    }
    json_decref(seen);
    return json_pack("{s:s, s:s, s:o, s:b, s:o, s:o, s:o, s:I, s:I}", "tool", "photofinish", "version",
                     PF_VERSION, "detector", common_member(reports, "detector"), "precise", precise,
                     "program", common_member(reports, "program"), "runs", runs, "races", races, "reported",
                     (json_int_t)json_array_size(races), "suppressed", suppressed);
}

/* --- text --- */

static void put_count(const struct live_report *r, const char *doubt, FILE *out)
{
    size_t new_ones = 0;
    const char *baseline = json_string_value(json_object_get(r->root, "baseline"));
    json_int_t suppressed = json_integer_value(json_object_get(r->root, "suppressed"));
    for (size_t i = 0; i < r->count; i++)
        new_ones += !r->race[i].known;
    fprintf(out, "Photofinish: reported %zu warning%s", new_ones, new_ones == 1 ? "" : "s");
    if (baseline != NULL)
        fprintf(out, ", and %zu known from %s", r->count - new_ones, baseline);
    if (suppressed > 0)
        fprintf(out, ", and %" JSON_INTEGER_FORMAT " suppressed", suppressed);
    if (doubt != NULL)
        fprintf(out, ", but not everything was checked (%s)", doubt);
    fputc('\n', out);
}

/* Of several runs, all that they say. The caller frees it. */
static struct completeness read_completeness(const struct live_report *r)
{
    struct completeness c = {.processes = 0};
    const json_t *runs = json_object_get(r->root, "runs");
    completeness_add_json(&c, json_object_get(r->root, "completeness"));
    for (size_t i = 0; i < json_array_size(runs); i++)
        completeness_add_json(&c, json_object_get(json_array_get(runs, i), "completeness"));
    return c;
}

const char *live_report_doubt(const struct live_report *r)
{
    struct completeness c = read_completeness(r);
    const char *doubt = completeness_doubt(&c);
    completeness_free(&c);
    return doubt;
}

void live_report_text(const struct live_report *r, const struct text_style *style, FILE *out)
{
    struct options options = *style->options;
    snprintf(options.detector, sizeof options.detector, "%s",
             r->detector != NULL ? r->detector : "the detector");
    for (size_t i = 0; i < r->count; i++) {
        const struct found_race *found = &r->race[i];
        if (found->known)
            live_race_known(&found->race, found->fingerprint, out);
        else if (style->quiet)
            live_race_summary(&found->race, r->precise, out);
        else
            live_race_text(&found->race, &options, r->precise, style->colors, out);
        if (found->times > 1)
            fprintf(out, "Photofinish: found %" PRIu64 " times\n", found->times);
    }
    struct completeness c = read_completeness(r);
    put_count(r, completeness_doubt(&c), out);
    if (r->count > 0)
        completeness_warning(&c, out);
    if (c.processes > 0 && style->verbose)
        completeness_text(&c, out);
    completeness_free(&c);
}
