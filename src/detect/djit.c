/* djit: DJIT+, vector clocks with time frames (002).
 *
 * A time frame of a thread is what lies between two of its releases: one value of its own clock. Only the
 * first read and the first write of a variable in a frame are logged and checked; later ones are ordered with
 * the same events as the first, by program order.
 *
 *   R_x(s), W_x(s): the frame of slot s's last read / write of x, ever
 *   first read   race unless W_x ⊑ C_t
 *   first write  race unless W_x ⊑ C_t and R_x ⊑ C_t
 *
 * (002 prints the check as W_x[u] ≥ C_u[u], against the *other* thread's own clock; that would miss a write
 * of an earlier frame that was never acquired. The check here is happens-before: W_x[u] > C_t[u].)
 */
#include "detect/vectors.h"

enum rule {
    SAME_FRAME_READ,
    SAME_FRAME_WRITE,
    READ,
    WRITE,
    WRITE_READ_RACE,
    WRITE_WRITE_RACE,
    READ_WRITE_RACE,
    RULES
};

static const struct rule_count rule_table[RULES] = {
    [SAME_FRAME_READ] = {.rule = "READ SAME FRAME", .same_epoch = true},
    [SAME_FRAME_WRITE] = {.rule = "WRITE SAME FRAME", .same_epoch = true},
    [READ] = {.rule = "FIRST READ"},
    [WRITE] = {.rule = "FIRST WRITE"},
    [WRITE_READ_RACE] = {.rule = "WRITE-READ RACE"},
    [WRITE_WRITE_RACE] = {.rule = "WRITE-WRITE RACE"},
    [READ_WRITE_RACE] = {.rule = "READ-WRITE RACE"},
};

#include "detect/clocked.h"

static inline int on_read(struct clocked *d, uint32_t thread, uint32_t x, uint64_t n)
{
    struct hb_thread *t = &d->hb.thread[thread];
    struct variable *v = &d->variable[x];
    if (accesses_clock(&v->reads, t->slot) == t->now)
        return SAME_FRAME_READ;
    int rule = accesses_race(&v->writes, t->clock, d->host, RACE_WRITE_READ, x, n) ? WRITE_READ_RACE : READ;
    accesses_set(&v->reads, &d->sets, t->epoch, n);
    return rule;
}

static inline int on_write(struct clocked *d, uint32_t thread, uint32_t x, uint64_t n)
{
    struct hb_thread *t = &d->hb.thread[thread];
    struct variable *v = &d->variable[x];
    if (accesses_clock(&v->writes, t->slot) == t->now)
        return SAME_FRAME_WRITE;
    int rule = WRITE;
    if (accesses_race(&v->writes, t->clock, d->host, RACE_WRITE_WRITE, x, n))
        rule = WRITE_WRITE_RACE;
    if (accesses_race(&v->reads, t->clock, d->host, RACE_READ_WRITE, x, n))
        rule = READ_WRITE_RACE;
    accesses_set(&v->writes, &d->sets, t->epoch, n);
    return rule;
}

DETECTOR(djit, struct clocked, .name = "djit", .source = "DJIT+ (2003)",
         .promise = "precise; time frames: only the first access per frame is checked", .precise = true);
