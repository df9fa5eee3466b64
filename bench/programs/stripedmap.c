/* Striped hash map: names to numbers, in stripes that each have a lock and a table of their own, which grows
 * with what is in it. Of eight operations four get, three put and one deletes; deleted entries are freed. */
#include <string.h>

#include "program.h"

enum { STRIPES = 32, FIRST_BUCKETS = 16, NAMES = 1 << 14, LONGEST_NAME = 24 };

struct entry {
    struct entry *next;
    uint32_t hash;
    uint32_t value; /* never 0 */
    char name[LONGEST_NAME];
};

static struct stripe {
    pthread_mutex_t lock;
    struct entry **bucket;
    size_t buckets, entries;
} stripe[STRIPES];

/* What a thread changed, for the check at the end; sums wrap around, so that they also count down. */
static struct tally {
    uint64_t entries, values, wrong;
} * tally;

static void write_name(char *name, uint32_t number)
{
    static const char *const kinds[] = {"user:", "session:", "page:", "item:"};
    const char *kind = kinds[number % 4];
    while (*kind != '\0')
        *name++ = *kind++;
    for (; number > 0; number /= 10)
        *name++ = (char)('0' + number % 10);
    *name = '\0';
}

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name != '\0'; name++)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    return hash ^ hash >> 15;
}

/* The link that leads to the entry of that name, or the one at the end of its bucket. */
static struct entry **find(struct stripe *in, const char *name, uint32_t hash)
{
    struct entry **link = &in->bucket[hash / STRIPES % in->buckets];
    while (*link != NULL && ((*link)->hash != hash || strcmp((*link)->name, name) != 0))
        link = &(*link)->next;
    return link;
}

static void grow(struct stripe *in)
{
    size_t buckets = in->buckets * 2;
    struct entry **bucket = program_memory(buckets, sizeof(struct entry *));
    for (size_t i = 0; i < in->buckets; i++)
        for (struct entry *e = in->bucket[i], *next; e != NULL; e = next) {
            next = e->next;
            e->next = bucket[e->hash / STRIPES % buckets];
            bucket[e->hash / STRIPES % buckets] = e;
        }
    free(in->bucket);
    in->bucket = bucket;
    in->buckets = buckets;
}

/* These three return the value that was there before, or 0. */

static uint32_t get(const char *name, uint32_t hash)
{
    struct stripe *in = &stripe[hash % STRIPES];
    pthread_mutex_lock(&in->lock);
    const struct entry *e = *find(in, name, hash);
    uint32_t value = e == NULL ? 0 : e->value;
    pthread_mutex_unlock(&in->lock);
    return value;
}

static uint32_t put(const char *name, uint32_t hash, uint32_t value)
{
    struct stripe *in = &stripe[hash % STRIPES];
    pthread_mutex_lock(&in->lock);
    struct entry **link = find(in, name, hash), *e = *link;
    uint32_t before = 0;
    if (e != NULL) {
        before = e->value;
        e->value = value;
    } else {
        *link = e = program_memory(1, sizeof *e);
        e->hash = hash;
        e->value = value;
        strcpy(e->name, name);
        if (++in->entries > in->buckets)
            grow(in);
    }
    pthread_mutex_unlock(&in->lock);
    return before;
}

static uint32_t delete (const char *name, uint32_t hash)
{
    struct stripe *in = &stripe[hash % STRIPES];
    pthread_mutex_lock(&in->lock);
    struct entry **link = find(in, name, hash), *e = *link;
    if (e != NULL) {
        *link = e->next;
        in->entries--;
    }
    pthread_mutex_unlock(&in->lock);
    uint32_t before = e == NULL ? 0 : e->value;
    free(e);
    return before;
}

/* A value ends in a digest of its name, so that whoever gets it can tell that it is the name's. */
static uint32_t value_of(uint32_t hash, uint32_t random)
{
    return random << 16 | (hash & 0x7fff) << 1 | 1;
}

static bool is_value_of(uint32_t hash, uint32_t value)
{
    return value == 0 || (value & 0xffff) == value_of(hash, 0);
}

static void work(unsigned me)
{
    uint32_t seed = me + 1;
    struct tally mine = {0};
    for (size_t i = share(size, me); i < share(size, me + 1); i++) {
        char name[LONGEST_NAME];
        write_name(name, (random_next(&seed) >> 4) % NAMES);
        uint32_t hash = hash_of(name), what = random_next(&seed) >> 8, value, before;
        if (what % 8 < 4) {
            before = get(name, hash);
        } else if (what % 8 < 7) {
            value = value_of(hash, what >> 3);
            before = put(name, hash, value);
            mine.entries += before == 0;
            mine.values += (uint64_t)value - before;
        } else {
            before = delete (name, hash);
            mine.entries -= before != 0;
            mine.values -= before;
        }
        mine.wrong += !is_value_of(hash, before);
    }
    tally[me] = mine;
}

static struct tally count_stripe(struct stripe *in)
{
    struct tally found = {0};
    for (size_t i = 0; i < in->buckets; i++)
        for (struct entry *e = in->bucket[i], *next; e != NULL; e = next) {
            next = e->next;
            found.entries++;
            found.values += e->value;
            found.wrong += e->hash != hash_of(e->name) || e->hash / STRIPES % in->buckets != i;
            free(e);
        }
    free(in->bucket);
    found.wrong += found.entries != in->entries;
    return found;
}

static void add(struct tally *to, struct tally what)
{
    to->entries += what.entries;
    to->values += what.values;
    to->wrong += what.wrong;
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 400000);
    tally = program_memory(threads, sizeof *tally);
    for (unsigned i = 0; i < STRIPES; i++) {
        pthread_mutex_init(&stripe[i].lock, NULL);
        stripe[i].buckets = FIRST_BUCKETS;
        stripe[i].bucket = program_memory(FIRST_BUCKETS, sizeof(struct entry *));
    }
    program_run(work);
    struct tally found = {0}, expected = {0};
    for (unsigned i = 0; i < threads; i++)
        add(&expected, tally[i]);
    for (unsigned i = 0; i < STRIPES; i++)
        add(&found, count_stripe(&stripe[i]));
    return program_end("the number of entries", found.entries, expected.entries) |
           program_end("the sum of all values", found.values, expected.values) |
           program_end("entries that are wrong", found.wrong + expected.wrong, 0);
}
