#include "support/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void script_init(struct script *s)
{
    memset(s, 0, sizeof *s);
    names_init(&s->names);
}

void script_free(struct script *s)
{
    names_free(&s->names);
    for (int class = 0; class < NAME_CLASSES; class++)
        mem_free(&s->mem, s->id_plus_1[class], s->id_capacity[class] * sizeof(uint32_t));
    mem_free(&s->mem, s->event, s->capacity * sizeof *s->event);
}

static uint32_t id_of(struct script *s, enum name_class class, uint32_t number)
{
    static const char letter[NAME_CLASSES] = {
        [NAME_VARIABLE] = 'V', [NAME_LOCK] = 'L',    [NAME_THREAD] = 'T',
        [NAME_VOLATILE] = 'A', [NAME_BARRIER] = 'B', [NAME_NOTE] = 'N'};
    s->id_plus_1[class] = mem_reserve(&s->mem, s->id_plus_1[class], sizeof(uint32_t), &s->id_capacity[class],
                                      (size_t)number + 1);
    uint32_t *known = &s->id_plus_1[class][number];
    if (*known == 0) {
        char text[16];
        int length = snprintf(text, sizeof text, "%c%u", letter[class], number);
        *known = names_id(&s->names, class, text, (size_t)length) + 1;
    }
    return *known - 1;
}

void script_add(struct script *s, uint32_t thread, enum op op, uint32_t target)
{
    s->event = mem_reserve(&s->mem, s->event, sizeof *s->event, &s->capacity, s->count + 1);
    s->event[s->count++] = (struct event){.thread = id_of(s, NAME_THREAD, thread),
                                          .op = (uint8_t)op,
                                          .target = id_of(s, op_operand[op], target),
                                          .location = NO_LOCATION};
}

void script_run(const struct script *s, const struct detector *detector, bool closed_world,
                struct replay *replay)
{
    struct replay_options options = {.closed_world = closed_world, .count_rules = true};
    struct problem problem;
    struct event block[512];
    replay_init(replay, detector, &s->names, &options);
    for (size_t at = 0; at < s->count; at += array_length(block)) {
        size_t count = min_size(array_length(block), s->count - at);
        memcpy(block, s->event + at, count * sizeof *block);
        if (replay_feed(replay, block, count, &problem) < count) {
            fprintf(stderr, "infeasible: %s\n", problem.reason);
            abort();
        }
    }
}

static int by_variable(const void *a, const void *b)
{
    uint32_t x = ((const struct race *)a)->variable, y = ((const struct race *)b)->variable;
    return x < y ? -1 : x > y;
}

static struct race *sorted(const struct replay *r)
{
    struct race *copy = malloc((r->race_count + 1) * sizeof *copy);
    if (r->race_count > 0)
        memcpy(copy, r->race, r->race_count * sizeof *copy);
    qsort(copy, r->race_count, sizeof *copy, by_variable);
    return copy;
}

bool script_same_races(const struct replay *a, const struct replay *b)
{
    if (a->race_count != b->race_count)
        return false;
    struct race *x = sorted(a), *y = sorted(b);
    bool same = true;
    for (size_t i = 0; i < a->race_count; i++)
        same &= x[i].variable == y[i].variable && x[i].second.event == y[i].second.event;
    free(x);
    free(y);
    return same;
}

uint64_t script_second(const struct script *s, const struct replay *r, uint32_t variable)
{
    uint32_t id = id_of((struct script *)s, NAME_VARIABLE, variable);
    for (size_t i = 0; i < r->race_count; i++)
        if (r->race[i].variable == id)
            return r->race[i].second.event;
    return 0;
}
