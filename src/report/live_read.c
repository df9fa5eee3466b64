#include "report/live_read.h"

#include <stdlib.h>
#include <string.h>

#include "report/explain.h"

struct reader {
    struct live_race *race;
    struct pool *pool;
};

/* --- values; what is missing or of another type is nothing --- */

static const char *text_at(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static bool is_true(const json_t *o, const char *key)
{
    return json_is_true(json_object_get(o, key));
}

static uint64_t number_at(const json_t *o, const char *key)
{
    json_int_t n = json_integer_value(json_object_get(o, key));
    return n > 0 ? (uint64_t)n : 0;
}

static uint32_t small_at(const json_t *o, const char *key)
{
    uint64_t n = number_at(o, key);
    return n <= UINT32_MAX ? (uint32_t)n : 0;
}

static uint64_t address_at(const json_t *o, const char *key)
{
    const char *text = text_at(o, key);
    return text != NULL ? strtoull(text, NULL, 16) : 0;
}

/* "write" in {"read", "write"}: 1; `otherwise` if it is none of them. */
static size_t word_at(const json_t *o, const char *key, const char *const *words, size_t count,
                      size_t otherwise)
{
    const char *text = text_at(o, key);
    for (size_t i = 0; text != NULL && i < count; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    return otherwise;
}

/* "M2" with 'M': 2. */
static uint64_t numbered(const char *text, char letter)
{
    return text != NULL && text[0] == letter ? strtoull(text + 1, NULL, 10) : 0;
}

/* --- parts of a race --- */

static struct live_stack stack_at(const struct reader *r, const json_t *o, const char *key)
{
    const json_t *list = json_object_get(o, key);
    struct live_stack s = {.count = json_array_size(list)};
    s.known = s.count > 0;
    s.frame = pool_take(r->pool, (s.count + 1) * sizeof *s.frame);
    for (size_t i = 0; i < s.count; i++) {
        const json_t *f = json_array_get(list, i);
        const char *source = text_at(f, "source"), *file = text_at(f, "file");
        s.frame[i] = (struct live_frame){.function = text_at(f, "function"),
                                         .file = file,
                                         .source = source != NULL ? source : file,
                                         .module = text_at(f, "module"),
                                         .line = small_at(f, "line"),
                                         .column = small_at(f, "column"),
                                         .function_line = small_at(f, "function_line"),
                                         .address = address_at(f, "address"),
                                         .offset = address_at(f, "offset"),
                                         .inlined = is_true(f, "inlined"),
                                         .mark = is_true(f, "mark")};
        s.cut |= is_true(f, "cut");
    }
    return s;
}

static uint64_t thread_id(const char *name)
{
    if (name == NULL)
        return WIRE_NO_THREAD;
    return strcmp(name, "main") == 0 ? 0 : numbered(name, 'T');
}

static const struct live_thread *thread_at(const struct reader *r, const json_t *o, const char *key)
{
    const char *name = text_at(o, key);
    for (size_t i = 0; name != NULL && i < r->race->thread_count; i++)
        if (r->race->thread[i].id == thread_id(name))
            return &r->race->thread[i];
    return NULL;
}

static void read_threads(const struct reader *r, const json_t *list)
{
    struct live_race *race = r->race;
    race->thread_count = json_array_size(list);
    race->thread = pool_take(r->pool, (race->thread_count + 1) * sizeof *race->thread);
    for (size_t i = 0; i < race->thread_count; i++) {
        const json_t *o = json_array_get(list, i);
        const char *name = text_at(o, "name");
        race->thread[i] = (struct live_thread){.id = thread_id(text_at(o, "thread")),
                                               .kernel_id = number_at(o, "tid"),
                                               .creator = thread_id(text_at(o, "created_by")),
                                               .name = name != NULL ? name : "",
                                               .running = is_true(o, "running"),
                                               .stack = stack_at(r, o, "stack")};
    }
}

static void read_mutexes(const struct reader *r, const json_t *list)
{
    struct live_race *race = r->race;
    race->mutex_count = json_array_size(list);
    race->mutex = pool_take(r->pool, (race->mutex_count + 1) * sizeof *race->mutex);
    for (size_t i = 0; i < race->mutex_count; i++) {
        const json_t *o = json_array_get(list, i);
        race->mutex[i] = (struct live_mutex){.number = (unsigned)numbered(text_at(o, "mutex"), 'M'),
                                             .address = address_at(o, "address"),
                                             .name = text_at(o, "name"),
                                             .stack = stack_at(r, o, "stack")};
    }
}

static const struct live_mutex *mutex_at(const struct reader *r, const json_t *o)
{
    uint64_t number = numbered(text_at(o, "mutex"), 'M');
    for (size_t i = 0; number > 0 && i < r->race->mutex_count; i++)
        if (r->race->mutex[i].number == number)
            return &r->race->mutex[i];
    return NULL;
}

static void read_locks(const struct reader *r, const json_t *list, struct live_access *a)
{
    size_t count = json_array_size(list);
    a->locks_known = json_is_array(list);
    a->lock = pool_take(r->pool, (count + 1) * sizeof *a->lock);
    for (size_t i = 0; i < count; i++) {
        const json_t *o = json_array_get(list, i);
        const struct live_mutex *mutex = mutex_at(r, o);
        const char *mode = text_at(o, "mode");
        if (mutex != NULL)
            a->lock[a->lock_count++] = (struct live_lock){mutex, mode != NULL && strcmp(mode, "read") == 0};
    }
}

static struct live_access read_access(const struct reader *r, const json_t *o)
{
    static const char *const words[] = {"read", "write", "atomic read", "atomic write", "free"};
    size_t word = word_at(o, "access", words, array_length(words), WIRE_WRITE);
    struct live_access a = {.is_free = word == 4,
                            .in_handler = is_true(o, "in_signal_handler"),
                            .locks_cut = is_true(o, "held_more"),
                            .kind = word == 4 ? WIRE_WRITE : (enum wire_access_kind)word,
                            .size = number_at(o, "size"),
                            .address = address_at(o, "address"),
                            .thread = thread_at(r, o, "thread"),
                            .stack = stack_at(r, o, "stack")};
    const json_t *released = json_object_get(o, "after_release");
    a.released = released != NULL ? mutex_at(r, released) : NULL;
    a.released_stack = stack_at(r, released, "stack");
    read_locks(r, json_object_get(o, "held"), &a);
    return a;
}

static struct live_location read_location(const struct reader *r, const json_t *o)
{
    static const char *const places[] = {"unknown", "global", "heap", "stack", "tls", "mapped", "descriptor"};
    enum live_place place = (enum live_place)word_at(o, "kind", places, array_length(places), LIVE_UNKNOWN);
    return (struct live_location){.place = place,
                                  .freed = is_true(o, "freed"),
                                  .address = place == LIVE_DESCRIPTOR ? number_at(o, "descriptor")
                                                                      : address_at(o, "address"),
                                  .size = number_at(o, "size"),
                                  .name = text_at(o, place == LIVE_MAPPED ? "file" : "name"),
                                  .module = text_at(o, "module"),
                                  .offset = address_at(o, "offset"),
                                  .thread = thread_at(r, o, "thread"),
                                  .stack = stack_at(r, o, "stack"),
                                  .freed_by = thread_at(r, o, "freed_by"),
                                  .free_stack = stack_at(r, o, "free_stack")};
}

/* What was said is taken as it is: what it was made from (`sync`) no writer needs. A file that says nothing is an
 * old one. */
static void read_explanation(const struct reader *r, const json_t *json)
{
    struct live_race *race = r->race;
    const json_t *list = json_object_get(json, "sentences"), *shape = json_object_get(json, "shape");
    for (size_t i = 0; i < json_array_size(list) && i < array_length(race->why.line); i++) {
        const char *line = json_string_value(json_array_get(list, i));
        if (line != NULL)
            race->why.line[race->why.count++] = line;
    }
    if (race->why.count == 0)
        race->why = explain_race(race, r->pool);
    race->shape = (struct shape){text_at(shape, "name"), text_at(shape, "advice")};
    if (race->shape.advice == NULL)
        race->shape.name = NULL;
}

bool live_race_read(struct live_race *race, const json_t *json, struct pool *pool, struct problem *problem)
{
    const struct reader r = {race, pool};
    const json_t *first = json_object_get(json, "first"), *second = json_object_get(json, "second");
    if (json_object_get(json, "variable") != NULL)
        return problem_set(problem, 0,
                           "its races are those of a trace (photofinish analyze), not of a running program");
    if (!json_is_object(first) || !json_is_object(second))
        return problem_set(problem, 0, "a race in it lacks the first or the second access");
    *race = (struct live_race){.pid = small_at(json, "pid")};
    read_threads(&r, json_object_get(json, "threads"));
    read_mutexes(&r, json_object_get(json, "mutexes"));
    race->current = read_access(&r, second);
    race->earlier = read_access(&r, first);
    race->location = read_location(&r, json_object_get(json, "location"));
    race->unseen.library = text_at(json, "unseen_library"); /* the sentence is among the others */
    read_explanation(&r, json);
    return true;
}
