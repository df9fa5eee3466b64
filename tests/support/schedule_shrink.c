/* Schedules on which the world is wrong: made smaller, and printed. */
#include <string.h>

#include "support/schedule.h"

/* Takes out the steps that nobody is there to make, after others were taken out. */
static void repair(struct schedule *s)
{
    enum { UNBORN, LIVE, ENDED, JOINED } life[MOST_THREADS] = {0};
    size_t kept = 0;
    for (unsigned t = 0; t < s->threads; t++)
        life[t] = LIVE;
    for (size_t n = 0; n < s->count; n++) {
        struct step step = s->step[n];
        bool possible = life[step.thread] == LIVE;
        if (step.op == STEP_FORK)
            possible &= life[step.at] == UNBORN;
        if (step.op == STEP_JOIN)
            possible &= life[step.at] == ENDED;
        if (!possible)
            continue;
        if (step.op == STEP_FORK)
            life[step.at] = LIVE;
        if (step.op == STEP_END)
            life[step.thread] = ENDED;
        if (step.op == STEP_JOIN)
            life[step.at] = JOINED;
        s->step[kept++] = step;
    }
    s->count = kept;
}

static bool without(struct schedule *s, size_t from, size_t length, bool (*wrong)(const struct schedule *))
{
    static struct schedule smaller;
    smaller = *s;
    memmove(smaller.step + from, smaller.step + from + length, (s->count - from - length) * sizeof *s->step);
    smaller.count -= length;
    repair(&smaller);
    if (!wrong(&smaller))
        return false;
    *s = smaller;
    return true;
}

/* A loop of fewer elements: without the last ones, or without the first. */
static bool with_fewer(struct schedule *s, size_t n, bool from_front, bool (*wrong)(const struct schedule *))
{
    static struct schedule smaller;
    struct step *step = &smaller.step[n];
    smaller = *s;
    unsigned fewer = (step->count + 1u) / 2;
    if (step->op != STEP_LOOP || step->count < 2)
        return false;
    step->count = (uint8_t)(step->count - fewer);
    if (from_front)
        step->at = (uint16_t)(step->at + (int)fewer * step->stride);
    if (!wrong(&smaller))
        return false;
    *s = smaller;
    return true;
}

void schedule_shrink(struct schedule *s, bool (*wrong)(const struct schedule *))
{
    for (bool again = true; again;) {
        again = false;
        for (size_t n = 0; n < 2 * s->count; n++)
            again |= with_fewer(s, n / 2, n % 2 != 0, wrong);
        for (size_t length = s->count / 2 + 1; length > 0; length /= 2)
            for (size_t from = 0; from + length <= s->count;)
                if (without(s, from, length, wrong))
                    again = true;
                else
                    from++;
    }
}

void schedule_print(const struct schedule *s, FILE *out)
{
    static const char *const op[] = {
#define X(name) #name,
        STEP_OPS(X)
#undef X
    };
    static const char *const kind[] = {"plain read", "plain write", "atomic read", "atomic write"};
    static const char *const order[] = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
    if (s->inside)
        fprintf(out, "      (objects live among the data, %d bytes apart)\n", OBJECT_STRIDE);
    for (size_t n = 0; n < s->count; n++) {
        const struct step *a = &s->step[n];
        fprintf(out, "%4zu  T%u ", n, a->thread);
        switch ((enum step_op)a->op) {
        case STEP_ACCESS:
            fprintf(out, "%s of %u at %u (way %u)\n", kind[a->kind], a->size, a->at, a->way);
            break;
        case STEP_LOOP:
            fprintf(out, "%ss of %u at %u, %u of them, %d apart (shape %u, way %u)\n", kind[a->kind], a->size,
                    a->at, a->count, a->stride, a->shape, a->way);
            break;
        case STEP_ATOMIC:
            fprintf(out, "%s of %u at %u, %s (way %u)\n", a->modify ? "modification" : kind[a->kind], a->size,
                    a->at, order[a->order], a->way);
            break;
        case STEP_FENCE:
            fprintf(out, "FENCE %s\n", order[a->order]);
            break;
        case STEP_CLEAR:
            fprintf(out, "CLEAR %u at %u\n", a->size, a->at);
            break;
        case STEP_TICK:
        case STEP_END:
            fprintf(out, "%s\n", op[a->op]);
            break;
        case STEP_LEARN:
        case STEP_FORK:
        case STEP_JOIN:
            fprintf(out, "%s T%u\n", op[a->op], a->at);
            break;
        case STEP_ACQUIRE:
        case STEP_RELEASE:
        case STEP_PUBLISH:
        case STEP_PUBLISH_READER:
        case STEP_ACQUIRE_EXCLUSIVE:
        case STEP_ACQUIRE_ALL:
        case STEP_FORGET:
            fprintf(out, "%s object %u\n", op[a->op], a->at);
        }
    }
}
