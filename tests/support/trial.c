#include "support/trial.h"

#include <string.h>

#include "replay/replay.h"

enum { MERGED_THREADS = 16 }; /* only threads below this are merged */

/* --- names --- */

void trial_name(enum name_class class, uint32_t id, char text[16])
{
    static const char letter[NAME_CLASSES] = {
        [NAME_VARIABLE] = 'V', [NAME_LOCK] = 'L', [NAME_THREAD] = 'T',  [NAME_VOLATILE] = 'A',
        [NAME_BARRIER] = 'B',  [NAME_NOTE] = 'N', [NAME_LOCATION] = 'P'};
    snprintf(text, 16, "%c%u", letter[class], (unsigned)id);
}

static void name_up_to(struct names *names, enum name_class class, uint32_t id)
{
    while (names->of[class].count <= id) {
        char text[16];
        trial_name(class, (uint32_t)names->of[class].count, text);
        names_append(names, class, text, strlen(text));
    }
}

static void name_events(struct names *names, const struct event *events, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        name_up_to(names, NAME_THREAD, events[i].thread);
        if (events[i].target != NO_TARGET)
            name_up_to(names, op_operand[events[i].op], events[i].target);
    }
}

/* Names of all ids that any trial has had so far: making names anew for each run would cost more than the
 * run. */
static struct names *shared_names(const struct trial *trial)
{
    static struct names names;
    if (names.of[0].bucket == NULL)
        names_init(&names);
    name_events(&names, trial->event, trial->count);
    return &names;
}

/* --- running --- */

bool trial_feasible(const struct trial *trial, size_t *good, FILE *out)
{
    struct event copy[JUDGE_MOST];
    struct problem problem = {0};
    memcpy(copy, trial->event, trial->count * sizeof *copy);
    struct feasible *feasible = feasible_new(shared_names(trial), trial->closed);
    *good = feasible_check(feasible, copy, trial->count, &problem);
    feasible_free(feasible);
    if (*good < trial->count && out != NULL)
        fprintf(out, "event %zu: %s\n", *good + 1, problem.reason);
    return *good == trial->count;
}

void trial_run(const struct trial *trial, const struct detector *detector, struct answer *answer)
{
    struct event copy[JUDGE_MOST];
    struct replay_options options = {.closed_world = trial->closed, .count_rules = trial->count_rules};
    struct problem problem = {0};
    struct names own_names, *names = trial->names_grow ? &own_names : shared_names(trial);
    struct replay replay;
    names_init(&own_names);
    replay_init(&replay, detector, names, &options);
    memcpy(copy, trial->event, trial->count * sizeof *copy);
    for (size_t at = 0; at < trial->count;) {
        size_t count = min_size(trial->block, trial->count - at);
        name_events(names, trial->event + at, count);
        require(replay_feed(&replay, copy + at, count, &problem) == count);
        at += count;
    }
    require(replay.race_count <= JUDGE_MOST);
    answer->count = replay.race_count;
    if (answer->count > 0)
        memcpy(answer->race, replay.race, answer->count * sizeof *answer->race);
    replay_free(&replay);
    names_free(&own_names);
}

/* --- comparing --- */

static const struct race *race_on(const struct answer *answer, uint32_t variable)
{
    for (size_t i = 0; i < answer->count; i++)
        if (answer->race[i].variable == variable)
            return &answer->race[i];
    return NULL;
}

static uint32_t most_variable(const struct judge *judge)
{
    uint32_t most = 0;
    for (size_t i = 0; i < judge->count; i++)
        if (op_is_access(judge->event[i].op) && judge->event[i].target > most)
            most = judge->event[i].target;
    return most;
}

#define WRONG(verdict, ...) snprintf((verdict)->line, sizeof(verdict)->line, __VA_ARGS__)

static void compare_race(const struct judge *judge, const struct race *race, struct verdict *verdict)
{
    unsigned long long first = race->first.event, second = race->second.event;
    if (!judge_race(judge, first, second)) {
        WRONG(verdict, "V%u: events %llu and %llu do not race", race->variable, first, second);
        return;
    }
    const struct event *a = &judge->event[first - 1], *b = &judge->event[second - 1];
    enum race_kind kind = a->op == OP_READ    ? RACE_READ_WRITE
                          : b->op == OP_WRITE ? RACE_WRITE_WRITE
                                              : RACE_WRITE_READ;
    if (race->kind != kind)
        WRONG(verdict, "V%u: events %llu and %llu are a %s race, not %s", race->variable, first, second,
              race_kind_name[kind], race_kind_name[race->kind]);
    else if (race->second.thread != b->thread || race->second.location != b->location)
        WRONG(verdict, "V%u: wrong thread or location of event %llu", race->variable, second);
}

void trial_compare(const struct judge *judge, const struct answer *answer, struct verdict *verdict)
{
    verdict->line[0] = 0;
    for (uint32_t variable = 0; variable <= most_variable(judge) && !verdict->line[0]; variable++) {
        uint64_t expected = judge->first[variable];
        const struct race *race = race_on(answer, variable);
        if (expected == 0 && race != NULL)
            WRONG(verdict, "V%u: false alarm at event %llu", variable,
                  (unsigned long long)race->second.event);
        else if (expected != 0 && race == NULL)
            WRONG(verdict, "V%u: missed the race at event %llu", variable, (unsigned long long)expected);
        else if (expected != 0 && race->second.event != expected)
            WRONG(verdict, "V%u: first race reported at event %llu, it is at %llu", variable,
                  (unsigned long long)race->second.event, (unsigned long long)expected);
        else if (expected != 0)
            compare_race(judge, race, verdict);
    }
}

/* --- shrinking --- */

static bool still_wrong(const struct trial *trial, const struct detector *detector)
{
    struct judge judge;
    struct answer answer;
    struct verdict verdict;
    size_t good;
    if (!trial_feasible(trial, &good, NULL))
        return false;
    judge_trace(&judge, trial->event, trial->count);
    trial_run(trial, detector, &answer);
    trial_compare(&judge, &answer, &verdict);
    return verdict.line[0] != 0;
}

/* Tries the trial without events from..from+length, and without event `also` (SIZE_MAX: none). */
static bool remove_events(struct trial *trial, const struct detector *detector, size_t from, size_t length,
                          size_t also)
{
    struct trial less = *trial;
    less.count = 0;
    for (size_t i = 0; i < trial->count; i++)
        if ((i < from || i >= from + length) && i != also)
            less.event[less.count++] = trial->event[i];
    if (!still_wrong(&less, detector))
        return false;
    *trial = less;
    return true;
}

static bool remove_threads(struct trial *trial, const struct detector *detector)
{
    bool any = false;
    for (uint32_t thread = 0; thread < JUDGE_MOST; thread++) {
        struct trial less = *trial;
        less.count = 0;
        for (size_t i = 0; i < trial->count; i++) {
            const struct event *e = &trial->event[i];
            if (e->thread != thread && (op_operand[e->op] != NAME_THREAD || e->target != thread))
                less.event[less.count++] = *e;
        }
        if (less.count < trial->count && still_wrong(&less, detector)) {
            *trial = less;
            any = true;
        }
    }
    return any;
}

/* Lets one thread do what another did: fewer threads, and no chains of forks. */
static bool merge_threads(struct trial *trial, const struct detector *detector)
{
    bool any = false;
    for (size_t pair = 0; pair < MERGED_THREADS * MERGED_THREADS; pair++) {
        uint32_t from = (uint32_t)(pair / MERGED_THREADS), into = (uint32_t)(pair % MERGED_THREADS);
        struct trial less = *trial;
        bool from_acts = false, into_acts = false;
        less.count = 0;
        for (size_t i = 0; from != into && i < trial->count; i++) {
            struct event e = trial->event[i];
            from_acts = from_acts || e.thread == from;
            into_acts = into_acts || e.thread == into;
            e.thread = e.thread == from ? into : e.thread;
            if (op_operand[e.op] != NAME_THREAD || e.target != from)
                less.event[less.count++] = e;
        }
        if (from_acts && into_acts && still_wrong(&less, detector)) {
            *trial = less;
            any = true;
        }
    }
    return any;
}

static bool remove_runs(struct trial *trial, const struct detector *detector)
{
    bool any = false;
    for (size_t length = trial->count / 2; length > 0; length /= 2)
        for (size_t from = 0; from + length <= trial->count;)
            if (remove_events(trial, detector, from, length, SIZE_MAX))
                any = true;
            else
                from += length > 4 ? length / 2 : 1;
    return any;
}

/* Events that cannot go alone: a lock's acquire and release, a thread's fork and join, ... */
static bool remove_pairs(struct trial *trial, const struct detector *detector)
{
    bool any = false;
    for (size_t i = 0; i < trial->count; i++)
        for (size_t j = i + 1; j < trial->count; j++)
            if (trial->event[i].target == trial->event[j].target &&
                op_operand[trial->event[i].op] == op_operand[trial->event[j].op] &&
                remove_events(trial, detector, i, 1, j)) {
                any = true;
                j = i;
            }
    return any;
}

/* Plainer ways to feed the trace, where they make no difference. */
static void plain_settings(struct trial *trial, const struct detector *detector)
{
    struct trial plain = *trial;
    plain.block = JUDGE_MOST;
    plain.names_grow = plain.count_rules = false;
    if (still_wrong(&plain, detector))
        *trial = plain;
}

void trial_shrink(struct trial *trial, const struct detector *detector)
{
    bool any = true;
    plain_settings(trial, detector);
    while (any) {
        any = remove_threads(trial, detector);
        any = merge_threads(trial, detector) || any;
        any = remove_runs(trial, detector) || any;
        any = remove_pairs(trial, detector) || any;
    }
}

/* --- printing --- */

static void print_event(const struct event *e, FILE *out)
{
    char thread[16], operand[16] = "";
    trial_name(NAME_THREAD, e->thread, thread);
    if (e->target != NO_TARGET)
        trial_name(op_operand[e->op], e->target, operand);
    fprintf(out, "%s|%s(%s)|%u\n", thread, op_word[e->op], operand, (unsigned)e->location);
}

static void print_expected(const struct judge *judge, FILE *out)
{
    bool none = true;
    fprintf(out, "# races:");
    for (uint32_t variable = 0; variable <= most_variable(judge); variable++) {
        unsigned long long second = judge->first[variable];
        if (second != 0)
            fprintf(out, " V%u@%llu", variable, second);
        none = none && second == 0;
    }
    fprintf(out, "%s\n", none ? " none" : "");
}

void trial_print(const struct trial *trial, const struct detector *detector, FILE *out)
{
    struct judge judge;
    struct answer answer;
    judge_trace(&judge, trial->event, trial->count);
    trial_run(trial, detector, &answer);
    print_expected(&judge, out);
    fprintf(out, "# %s, %s world, blocks of %zu, says:", detector->name, trial->closed ? "closed" : "open",
            trial->block);
    for (size_t i = 0; i < answer.count; i++)
        fprintf(out, " V%u@%llu (with event %llu)", answer.race[i].variable,
                (unsigned long long)answer.race[i].second.event,
                (unsigned long long)answer.race[i].first.event);
    fprintf(out, "%s\n", answer.count == 0 ? " none" : "");
    for (size_t i = 0; i < trial->count; i++)
        print_event(&trial->event[i], out);
}
