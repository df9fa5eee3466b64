/* Runs the traces of a directory, and those of its folder bad/, through everything that should know the
 * answer.
 *
 * A trace says in its leading comments what is expected of it:
 *   # races: V3@31 V5@12    for every precise detector: each racy variable and the event of its first race
 *   # races: none
 *   # eraser: V3@31         the same for eraser
 *   # rule: READ SHARE      this rule must fire when fasttrack2 counts its rules (or: this op must occur)
 * A trace in bad/ must be refused:
 *   # refused: 7: thread T1 releases lock L, which it does not hold        (line, reason; exactly)
 *
 * Whatever is written there is also held against the definition itself (tests/support/judge.h).
 */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/replay.h"
#include "support/judge.h"
#include "support/test_detectors.h"
#include "trace/reader.h"

enum { LEAST_TRACES = 30, LEAST_BAD = 15, MOST_RULES = 8, LINE_BYTES = 512 };

struct expectation {
    char races[LINE_BYTES], eraser[LINE_BYTES], refused[LINE_BYTES]; /* "" where not given */
    char rule[MOST_RULES][LINE_BYTES];
    size_t rules;
};

/* A trace in memory, as its reader delivered it. */
struct loaded {
    struct source source;
    struct reader reader;
    struct event event[JUDGE_MOST];
    uint64_t line[JUDGE_MOST];
    size_t count;
};

static const char *current; /* path of the trace at hand */
static size_t passed, failed;

static void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("FAILED: %s: ", current);
    vprintf(format, args);
    printf("\n");
    va_end(args);
    failed++;
}

static void check(bool good, const char *who, const char *expected, const char *actual)
{
    if (good)
        passed++;
    else
        complain("%s: expected \"%s\", got \"%s\"", who, expected, actual);
}

/* --- expectations --- */

static bool take_line(const char *line, const char *key, char value[LINE_BYTES])
{
    if (strncmp(line, key, strlen(key)) != 0)
        return false;
    line += strlen(key);
    line += strspn(line, " ");
    snprintf(value, LINE_BYTES, "%s", line);
    value[strcspn(value, "\r\n")] = 0;
    return true;
}

static bool read_expectation(const char *path, struct expectation *e)
{
    char line[LINE_BYTES];
    FILE *file = fopen(path, "r");
    *e = (struct expectation){0};
    if (file == NULL)
        return false;
    while (fgets(line, sizeof line, file) != NULL && line[0] == '#')
        if (!take_line(line, "# races:", e->races) && !take_line(line, "# eraser:", e->eraser) &&
            !take_line(line, "# refused:", e->refused) && e->rules < MOST_RULES)
            e->rules += take_line(line, "# rule:", e->rule[e->rules]);
    fclose(file);
    return true;
}

/* --- races as text, in the order of their variables' first appearance --- */

struct answer {
    uint64_t second[JUDGE_MOST]; /* by variable; 0: no race */
};

static void describe(const struct names *names, const struct answer *answer, char text[LINE_BYTES])
{
    size_t length = 0;
    for (uint32_t v = 0; v < names->of[NAME_VARIABLE].count; v++) {
        struct name name = names_get(names, NAME_VARIABLE, v);
        if (answer->second[v] == 0)
            continue;
        length += (size_t)snprintf(text + length, LINE_BYTES - length, "%s%.*s@%llu", length > 0 ? " " : "",
                                   (int)name.length, name.text, (unsigned long long)answer->second[v]);
        require(length < LINE_BYTES);
    }
    if (length == 0)
        snprintf(text, LINE_BYTES, "none");
}

/* The expected races, which may be listed in any order, as an answer. */
static bool parse(const struct names *names, const char *expected, struct answer *answer)
{
    char copy[LINE_BYTES], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", expected);
    *answer = (struct answer){{0}};
    if (strcmp(expected, "none") == 0)
        return true;
    for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        char *at = strrchr(word, '@');
        uint32_t v = 0;
        while (at != NULL && v < names->of[NAME_VARIABLE].count &&
               (names_get(names, NAME_VARIABLE, v).length != (size_t)(at - word) ||
                memcmp(names_get(names, NAME_VARIABLE, v).text, word, (size_t)(at - word)) != 0))
            v++;
        if (at == NULL || v == names->of[NAME_VARIABLE].count)
            return false;
        answer->second[v] = strtoull(at + 1, NULL, 10);
    }
    return true;
}

/* --- loading --- */

static void unload(struct loaded *t)
{
    reader_close(&t->reader);
    source_close(&t->source);
}

/* False where the reader refuses the trace, with the place and the reason in *problem; nothing to unload
 * then. */
static bool load(const char *path, struct loaded *t, struct problem *problem)
{
    static struct batch batch;
    enum read_result result;
    t->count = 0;
    if (!source_open(&t->source, path, false, problem))
        return false;
    if (!reader_open(&t->reader, &t->source, NULL, problem)) {
        source_close(&t->source);
        return false;
    }
    do {
        result = reader_next(&t->reader, &batch);
        require(t->count + batch.count <= JUDGE_MOST);
        memcpy(t->event + t->count, batch.event, batch.count * sizeof *t->event);
        memcpy(t->line + t->count, batch.line, batch.count * sizeof *t->line);
        t->count += batch.count;
    } while (result == READ_EVENTS);
    *problem = t->reader.problem;
    if (result == READ_BAD)
        unload(t);
    return result == READ_END;
}

static bool feasible(const struct loaded *t, bool closed_world, struct problem *problem)
{
    struct event copy[JUDGE_MOST];
    memcpy(copy, t->event, t->count * sizeof *copy);
    struct feasible *check_feasible = feasible_new(&t->reader.names, closed_world);
    size_t good = feasible_check(check_feasible, copy, t->count, problem);
    feasible_free(check_feasible);
    if (good < t->count)
        problem->line = t->line[good];
    return good == t->count;
}

/* --- good traces --- */

static void check_rule(const struct loaded *t, const struct detector_stats *stats, const char *rule)
{
    static const struct {
        const char *rule;
        enum op op;
    } sync_rule[] = {{"ACQUIRE", OP_ACQUIRE}, {"RELEASE", OP_RELEASE}, {"FORK", OP_FORK}, {"JOIN", OP_JOIN}};
    for (size_t i = 0; i < stats->rule_count; i++)
        if (strcmp(stats->rules[i].rule, rule) == 0) {
            check(stats->rules[i].fired > 0, rule, "fires", "did not fire");
            return;
        }
    for (size_t i = 0; i < array_length(sync_rule); i++)
        for (size_t j = 0; j < t->count && strcmp(sync_rule[i].rule, rule) == 0; j++)
            if (t->event[j].op == sync_rule[i].op) {
                check(stats->sync_events > 0, rule, "fires", "did not fire");
                return;
            }
    complain("no rule is called \"%s\"", rule);
}

static void run(const struct loaded *t, const struct detector *detector, bool closed_world,
                const struct expectation *e, struct answer *answer)
{
    struct replay_options options = {.count_rules = true, .closed_world = closed_world};
    struct event copy[JUDGE_MOST];
    struct problem problem;
    struct detector_stats stats;
    struct replay replay;
    memcpy(copy, t->event, t->count * sizeof *copy);
    replay_init(&replay, detector, &t->reader.names, &options);
    require(replay_feed(&replay, copy, t->count, &problem) == t->count);
    *answer = (struct answer){{0}};
    for (size_t i = 0; i < replay.race_count; i++)
        answer->second[replay.race[i].variable] = replay.race[i].second.event;
    detector->stats(replay.state, &stats);
    for (size_t i = 0; strcmp(detector->name, "fasttrack2") == 0 && i < e->rules; i++)
        check_rule(t, &stats, e->rule[i]);
    replay_free(&replay);
}

static void check_detector(const struct loaded *t, const struct detector *detector,
                           const struct expectation *e, bool closed_world)
{
    const char *expected = detector->precise                       ? e->races
                           : strcmp(detector->name, "eraser") == 0 ? e->eraser
                           : strcmp(detector->name, "nop") == 0    ? "none"
                                                                   : NULL;
    struct answer wanted, answer;
    char text[LINE_BYTES], who[64];
    snprintf(who, sizeof who, "%s (%s world)", detector->name, closed_world ? "closed" : "open");
    if (expected == NULL || !parse(&t->reader.names, expected, &wanted)) {
        complain("%s: cannot make sense of the expectation", who);
        return;
    }
    run(t, detector, closed_world, e, &answer);
    describe(&t->reader.names, &answer, text);
    check(memcmp(&wanted, &answer, sizeof wanted) == 0, who, expected, text);
}

static void check_definition(const struct loaded *t, const struct expectation *e)
{
    static struct judge judge;
    struct answer wanted, answer = {{0}};
    char text[LINE_BYTES];
    judge_trace(&judge, t->event, t->count);
    memcpy(answer.second, judge.first, sizeof answer.second);
    describe(&t->reader.names, &answer, text);
    check(parse(&t->reader.names, e->races, &wanted) && memcmp(&wanted, &answer, sizeof wanted) == 0,
          "the definition", e->races, text);
}

static void check_world(const struct loaded *t, const struct expectation *e, bool closed_world)
{
    for (size_t i = 0; detectors[i] != NULL; i++)
        check_detector(t, detectors[i], e, closed_world);
    for (size_t i = 0; test_detectors[i] != NULL; i++)
        check_detector(t, test_detectors[i], e, closed_world);
}

static void check_good(const char *path)
{
    static struct loaded t;
    struct expectation e;
    struct problem problem = {0};
    if (!read_expectation(path, &e) || e.races[0] == 0 || e.eraser[0] == 0) {
        complain("has no \"# races:\" and \"# eraser:\" lines");
        return;
    }
    if (!load(path, &t, &problem)) {
        complain("refused: %llu: %s", (unsigned long long)problem.line, problem.reason);
        return;
    }
    if (feasible(&t, t.reader.closed_world, &problem)) {
        check_definition(&t, &e);
        check_world(&t, &e, false);
        if (feasible(&t, true, &problem))
            check_world(&t, &e, true);
    } else
        complain("refused: %llu: %s", (unsigned long long)problem.line, problem.reason);
    unload(&t);
}

/* --- bad traces --- */

static void check_bad(const char *path)
{
    static struct loaded t;
    struct expectation e;
    struct problem problem = {0};
    char text[LINE_BYTES];
    if (!read_expectation(path, &e) || e.refused[0] == 0) {
        complain("has no \"# refused:\" line");
        return;
    }
    bool loaded = load(path, &t, &problem);
    if (loaded && feasible(&t, t.reader.closed_world, &problem))
        snprintf(text, sizeof text, "no complaint");
    else
        snprintf(text, sizeof text, "%llu: %s", (unsigned long long)problem.line, problem.reason);
    check(strcmp(text, e.refused) == 0, "refused", e.refused, text);
    if (loaded)
        unload(&t);
}

/* --- directories --- */

static int is_trace(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot != NULL && strcmp(dot, ".std") == 0;
}

static void for_each_trace(const char *directory, size_t least, void (*check_trace)(const char *path))
{
    struct dirent **entry;
    int count = scandir(directory, &entry, is_trace, alphasort);
    current = directory;
    if (count < 0) {
        complain("%s", strerror(errno));
        return;
    }
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", directory, entry[i]->d_name);
        current = path;
        check_trace(path);
        free(entry[i]);
    }
    free(entry);
    current = directory;
    if ((size_t)count < least)
        complain("%d traces, expected at least %zu", count, least);
    printf("%s: %d traces\n", directory, count);
}

int main(int count, char **arg)
{
    char bad[4096];
    if (count != 2) {
        fprintf(stderr, "usage: traces_test DIRECTORY\n");
        return 2;
    }
    snprintf(bad, sizeof bad, "%s/bad", arg[1]);
    for_each_trace(arg[1], LEAST_TRACES, check_good);
    for_each_trace(bad, LEAST_BAD, check_bad);
    printf("%zu checks passed, %zu failed\n", passed, failed);
    return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
