/* Read-mostly configuration: a request takes the configuration of the moment, an immutable object behind an
 * atomic pointer, and looks settings up by their names; one request of 500 makes a new configuration from it.
 * Hazard pointers tell which old ones are still read. SIZE is the number of requests. */
#include <stdatomic.h>
#include <string.h>

#include "program.h"

enum { SETTINGS = 24, LOOK_UPS = 6, CHANGES_EVERY = 500, LONGEST_NAME = 24 };

struct config {
    uint64_t version;
    struct config *next; /* of those that are replaced; only with the lock */
    struct setting {
        char name[LONGEST_NAME];
        uint64_t value;
    } setting[SETTINGS]; /* by name */
};

static _Atomic(struct config *) current;

/* What the thread is reading. It says so before it makes sure that this is still the current one, and whoever
 * replaces it looks here afterwards; all four steps are sequentially consistent, so one of the two sees the
 * other. */
static struct {
    _Alignas(64) _Atomic(struct config *) config;
} hazard[MOST_THREADS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of whoever makes a new one */
static struct config *replaced;
static uint64_t freed;

static char name[SETTINGS][LONGEST_NAME];
static struct tally {
    uint64_t wrong, changes;
} * tally;

static const struct config *begin_reading(unsigned me)
{
    struct config *config = atomic_load(&current), *again;
    for (;; config = again) {
        atomic_store(&hazard[me].config, config);
        again = atomic_load(&current);
        if (again == config)
            return config;
    }
}

static void end_reading(unsigned me)
{
    atomic_store_explicit(&hazard[me].config, NULL, memory_order_release);
}

static bool is_read(const struct config *config)
{
    for (unsigned i = 0; i < threads; i++)
        if (atomic_load(&hazard[i].config) == config)
            return true;
    return false;
}

/* With the lock. */
static void free_replaced(void)
{
    for (struct config **link = &replaced, *config = *link; config != NULL; config = *link) {
        if (is_read(config)) {
            link = &config->next;
        } else {
            *link = config->next;
            free(config);
            freed++;
        }
    }
}

static uint64_t value_of(uint64_t version, unsigned setting)
{
    return (version * SETTINGS + setting) * 0x9e3779b97f4a7c15u;
}

static void fill(struct config *config, uint64_t version)
{
    config->version = version;
    for (unsigned i = 0; i < SETTINGS; i++) {
        strcpy(config->setting[i].name, name[i]);
        config->setting[i].value = value_of(version, i);
    }
}

static void change(void)
{
    struct config *new = program_memory(1, sizeof *new);
    pthread_mutex_lock(&lock);
    struct config *old = atomic_load(&current);
    fill(new, old->version + 1);
    atomic_store(&current, new);
    old->next = replaced;
    replaced = old;
    free_replaced();
    pthread_mutex_unlock(&lock);
}

static const struct setting *find(const struct config *config, const char *wanted)
{
    unsigned low = 0, high = SETTINGS;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        int order = strcmp(config->setting[middle].name, wanted);
        if (order == 0)
            return &config->setting[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* All settings of a request are of one version, and versions do not go back. */
static uint64_t request(unsigned me, uint32_t *seed, uint64_t *last_version)
{
    uint64_t wrong = 0;
    const struct config *config = begin_reading(me);
    for (unsigned i = 0; i < LOOK_UPS; i++) {
        unsigned which = (random_next(seed) >> 8) % SETTINGS;
        const struct setting *found = find(config, name[which]);
        wrong += found == NULL || found->value != value_of(config->version, which);
    }
    wrong += config->version < *last_version;
    *last_version = config->version;
    end_reading(me);
    return wrong;
}

static void work(unsigned me)
{
    uint32_t seed = me + 1;
    uint64_t last_version = 0;
    struct tally mine = {0};
    for (size_t i = share(size, me); i < share(size, me + 1); i++) {
        mine.wrong += request(me, &seed, &last_version);
        if (i % CHANGES_EVERY == 0) {
            change();
            mine.changes++;
        }
    }
    tally[me] = mine;
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 200000);
    tally = program_memory(threads, sizeof *tally);
    for (unsigned i = 0; i < SETTINGS; i++)
        snprintf(name[i], LONGEST_NAME, "service.%c.setting%02u", 'a' + (int)i / 4, i);
    struct config *first = program_memory(1, sizeof *first);
    fill(first, 1);
    atomic_init(&current, first);
    program_run(work);
    uint64_t wrong = 0, changes = 0;
    for (unsigned i = 0; i < threads; i++) {
        wrong += tally[i].wrong;
        changes += tally[i].changes;
    }
    free_replaced();
    struct config *last = atomic_load(&current);
    int status = program_end("the last version", last->version, changes + 1) |
                 program_end("old configurations that are freed", freed, changes) |
                 program_end("settings that are wrong", wrong, 0);
    free(last);
    return status;
}
