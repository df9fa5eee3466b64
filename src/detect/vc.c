/* vc: the vector-clock algorithm with full read and write clocks for every variable (003 §3.2).
 *
 *   W_x(s): the clock of the last write of x, if slot s wrote it;   R_x(s): of slot s's last read since.
 *   read   race unless W_x ⊑ C_t;                  then R_x(t) := C_t(t)
 *   write  race unless W_x ⊑ C_t and R_x ⊑ C_t;    then R_x := 0, W_x := 0 but W_x(t) := C_t(t)
 *
 * Every access is checked in full: the baseline that the faster detectors are measured against.
 */
#include "detect/vectors.h"

enum rule { READ, WRITE, WRITE_READ_RACE, WRITE_WRITE_RACE, READ_WRITE_RACE, RULES };

static const struct rule_count rule_table[RULES] = {
    [READ] = {.rule = "READ"},
    [WRITE] = {.rule = "WRITE"},
    [WRITE_READ_RACE] = {.rule = "WRITE-READ RACE"},
    [WRITE_WRITE_RACE] = {.rule = "WRITE-WRITE RACE"},
    [READ_WRITE_RACE] = {.rule = "READ-WRITE RACE"},
};

#include "detect/clocked.h"

static inline int on_read(struct clocked *d, uint32_t thread, uint32_t x, uint64_t n)
{
    struct hb_thread *t = &d->hb.thread[thread];
    struct variable *v = &d->variable[x];
    int rule = accesses_race(&v->writes, t->clock, d->host, RACE_WRITE_READ, x, n) ? WRITE_READ_RACE : READ;
    accesses_set(&v->reads, &d->sets, t->epoch, n);
    return rule;
}

static inline int on_write(struct clocked *d, uint32_t thread, uint32_t x, uint64_t n)
{
    struct hb_thread *t = &d->hb.thread[thread];
    struct variable *v = &d->variable[x];
    int rule = WRITE;
    if (accesses_race(&v->writes, t->clock, d->host, RACE_WRITE_WRITE, x, n))
        rule = WRITE_WRITE_RACE;
    if (accesses_race(&v->reads, t->clock, d->host, RACE_READ_WRITE, x, n))
        rule = READ_WRITE_RACE;
    variable_clear(v, &d->sets);
    accesses_set(&v->writes, &d->sets, t->epoch, n);
    return rule;
}

DETECTOR(vc, struct clocked, .name = "vc", .source = "vector clocks (1988)",
         .promise = "precise; full read and write vector clocks per variable", .precise = true);
