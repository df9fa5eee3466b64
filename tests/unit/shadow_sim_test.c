/* Simulated threads against the live shadow, one access at a time, judged by the definition of a race
 * (tests/support/schedule.h). The threads are struct actors with clocks; what orders them is struct mailbox.
 * No memory is accessed: addresses are only numbers. The entry points and the runtime around the shadow have
 * their own test (shadow_live_test.c).
 *
 *   shadow_sim_test [--schedules N] [--seed S]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "clock/mailbox.h"
#include "shadow/atomic.h"
#include "shadow/readers.h"
#include "support/schedule.h"

enum { SLOTS = 8 };

/* So that the first bytes are in one chunk (shadow/chunks.h) and the others in the next. */
#define BASE UINT64_C(0x123456780fe0)

static struct sim {
    struct actor actor;
    uint32_t slot;
    uint32_t clock[SLOTS];
} * sims; /* SLOTS of them, of which the last is nobody's */

static struct object {
    struct mailbox mailbox;
    uint32_t clock[SLOTS];
} objects[MOST_OBJECTS];

static uint32_t slots; /* in use: those of threads that have made a step, and all below */
static uint32_t records_before, readers_before;
static uint64_t shape; /* of the schedule: what the shadow makes use of */
static bool leaked;    /* a cleared word may have had a record, which is lost until somebody collects it */

/* --- the world --- */

/* As the runtime does it without the lock. */
static bool glanced_by(struct sim *t, uintptr_t address, size_t size, enum access_kind kind)
{
    struct glance g;
    if (size > 8 || address % size != 0 || !glance_begin(&g, address))
        return false;
    enum glance_answer answer = glance_look(&g, address, size, kind, &t->actor);
    return answer == GLANCE_NOTED || (answer == GLANCE_MAY && glance_note(&g, t->actor.now));
}

/* As the runtime does it: the real operation would be inside. */
static void atomic_by(struct sim *t, uintptr_t address, size_t size, enum access_kind kind,
                      struct race_found *found)
{
    if (glanced_by(t, address, size, kind))
        return;
    struct record *record = atomic_lock(address);
    shadow_atomic(record, address, size, kind, &t->actor, found);
    record_unlock(record);
}

static void access_by(struct sim *t, const struct step *s)
{
    struct race_found found = {0};
    if (s->way % 2 == 0 && s->kind >= ATOMIC_READ)
        atomic_by(t, BASE + s->at, s->size, s->kind, &found);
    else if (s->way % 4 == 3 && s->kind == PLAIN_WRITE)
        shadow_free(BASE + s->at, s->size, &t->actor, &found);
    else
        shadow_access(BASE + s->at, s->size, s->kind, &t->actor, &found);
    if (found.conflict.earlier != 0)
        schedule_told(
            &(struct told){s->thread, BASE + s->at, s->size, s->kind, found.address, found.conflict, 0, 0});
}

static void tick(struct sim *t)
{
    uint32_t *now = &t->clock[t->slot];
    t->actor.now = *now = *now == 0 ? half_first(t->slot) + 1 : *now + 1;
}

static void begin(const struct schedule *s)
{
    memset(sims, 0, SLOTS * sizeof *sims);
    memset(objects, 0, sizeof objects);
    for (uint32_t i = 0; i < s->threads; i++) {
        sims[i].slot = i;
        sims[i].actor.clock = sims[i].clock;
        sims[i].actor.memo.churn = shape & 1 ? UINT32_MAX / 2 : 0; /* vectors instead of sets */
        tick(&sims[i]);
    }
    for (size_t i = 0; i < MOST_OBJECTS; i++) {
        objects[i].mailbox.clock = objects[i].clock;
        objects[i].mailbox.capacity = SLOTS;
    }
    slots = 0;
    records_before = record_live();
    readers_before = vector_live();
    leaked = false;
}

static uint32_t step(const struct step *s)
{
    struct sim *t = &sims[s->thread];
    uint32_t now = t->actor.now;
    if (s->thread >= slots)
        slots = s->thread + 1u;
    struct mailbox *m = &objects[s->op < STEP_LEARN ? s->at % MOST_OBJECTS : 0].mailbox;
    switch ((enum step_op)s->op) {
    case STEP_ACCESS:
        access_by(t, s);
        break;
    case STEP_CLEAR:
        shadow_clear(BASE + s->at, s->size);
        leaked = true;
        break;
    case STEP_ACQUIRE:
        mailbox_acquire(m, t->clock);
        break;
    case STEP_RELEASE:
        mailbox_release(m, t->clock, slots, epoch_of_live(t->actor.now));
        tick(t);
        break;
    case STEP_PUBLISH:
        mailbox_publish(m, t->clock, slots, epoch_of_live(t->actor.now));
        tick(t);
        break;
    case STEP_FORGET:
        mailbox_forget(m);
        break;
    case STEP_LEARN:
        vclock_join(t->clock, sims[s->at].clock, s->at == s->thread ? 0 : SLOTS);
        tick(&sims[s->at]);
        break;
    case STEP_TICK:
        tick(t);
        break;
    default:
        abort();
    }
    return now;
}

/* Somebody who knows everything writes everything: all words must fold. */
static const char *end(const struct schedule *s)
{
    (void)s;
    struct sim *all = &sims[SLOTS - 1];
    all->slot = SLOTS - 1;
    all->actor.clock = all->clock;
    for (size_t i = 0; i < SLOTS - 1; i++)
        vclock_join(all->clock, sims[i].clock, SLOTS);
    tick(all);
    const char *wrong = NULL;
    struct race_found found;
    shadow_access(BASE, MOST_BYTES, PLAIN_WRITE, &all->actor, &found);
    if (found.conflict.earlier != 0)
        wrong = "who knows everything races with something";
    shadow_access(BASE, MOST_BYTES, PLAIN_WRITE, &all->actor, &found); /* again: bytes are words then */
    for (size_t b = 0; b < MOST_BYTES; b += 4)
        if (*shadow_of(BASE + b) != all->actor.now)
            wrong = "a word did not become the write of its last writer";
    if (!leaked && record_live() != records_before)
        wrong = "records were lost";
    if (!leaked && vector_live() != readers_before)
        wrong = "vectors of readers were lost";
    shadow_clear(BASE, MOST_BYTES);
    return wrong;
}

static const struct world world = {begin, step, NULL, end, BASE, .late = false};

/* --- the tests --- */

static uint64_t schedules = 60000, first_seed = 1;

static bool wrong_on(const struct schedule *schedule)
{
    char why[WHY_BYTES];
    uint64_t races = 0;
    return !schedule_check(schedule, &world, why, &races);
}

static void schedules_are_judged_right(void **nothing)
{
    (void)nothing;
    static struct schedule schedule;
    uint64_t steps = 0, racy = 0;
    for (uint64_t i = 0; i < schedules; i++) {
        char why[WHY_BYTES];
        uint64_t races = 0;
        shape = first_seed + i;
        schedule_make(&schedule, &(struct schedule_options){.seed = first_seed + i});
        if (!schedule_check(&schedule, &world, why, &races)) {
            printf("FAILED: seed %llu: %s\nrepeat with: shadow_sim_test --schedules 1 --seed %llu\nshrunk:\n",
                   (unsigned long long)(first_seed + i), why, (unsigned long long)(first_seed + i));
            schedule_shrink(&schedule, wrong_on);
            schedule_check(&schedule, &world, why, &races);
            schedule_print(&schedule, stdout);
            fail_msg("%s", why);
        }
        steps += schedule.count;
        racy += races > 0;
    }
    printf("%llu schedules from seed %llu, %llu steps, %llu racy\n", (unsigned long long)schedules,
           (unsigned long long)first_seed, (unsigned long long)steps, (unsigned long long)racy);
    if (schedules > 1000)
        assert_in_range(racy * 100 / schedules, 20, 80); /* both verdicts must be common */
}

static void read_options(char **argument)
{
    for (; argument[0] != NULL && argument[1] != NULL; argument += 2) {
        if (strcmp(argument[0], "--schedules") == 0)
            schedules = strtoull(argument[1], NULL, 10);
        else if (strcmp(argument[0], "--seed") == 0)
            first_seed = strtoull(argument[1], NULL, 10);
    }
}

int main(int count, char **argument)
{
    (void)count;
    read_options(argument + 1);
    sims = calloc(SLOTS, sizeof *sims);
    if (sims == NULL || !shadow_map_init()) {
        printf("no address space for the shadow\n");
        return EXIT_FAILURE;
    }
    if (!shadow_init())
        printf("no membarrier\n");
    const struct CMUnitTest tests[] = {cmocka_unit_test(schedules_are_judged_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
