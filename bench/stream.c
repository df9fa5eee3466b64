#include "stream.h"

#include <stdio.h>

#include "measure.h"

/* Gives names to all ids of the class up to this one. */
static void name_up_to(struct names *names, enum name_class class, uint32_t id)
{
    while (names->of[class].count <= id) {
        char text[16];
        int length = snprintf(text, sizeof text, "%c%zu", "VLTABNO"[class], names -> of[class].count);
        names_append(names, class, text, (size_t)length);
    }
}

void stream_open(struct stream *s, const struct detector *detector)
{
    s->seconds = 0;
    s->accesses = 0;
    s->count = 0;
    names_init(&s->names);
    replay_init(&s->replay, detector, &s->names, &(struct replay_options){.closed_world = true});
}

void stream_flush(struct stream *s)
{
    struct problem problem;
    for (size_t i = 0; i < s->count; i++) {
        name_up_to(&s->names, NAME_THREAD, s->event[i].thread);
        name_up_to(&s->names, op_operand[s->event[i].op], s->event[i].target);
    }
    double before = measure_clock();
    size_t good = replay_feed(&s->replay, s->event, s->count, &problem);
    s->seconds += measure_clock() - before;
    if (good < s->count)
        tool_failed("bench: a made-up trace is infeasible: %s", problem.reason);
    s->count = 0;
}

void stream_close(struct stream *s)
{
    replay_free(&s->replay);
    names_free(&s->names);
}

void stream_put_all(struct stream *s, enum op op, uint32_t threads)
{
    for (uint32_t thread = 1; thread < threads; thread++)
        stream_put(s, 0, op, thread);
}
