/* What threads, locks, variables ... are called: dense ids in order of first appearance, per class.
 *
 * One open-addressing table per class; texts live in chunks that never move, so a name stays valid as long
 * as its table. Looking up a known name allocates nothing, and for a name of at most 8 bytes (most are)
 * touches one cache line: its bucket holds the whole text.
 */
#pragma once

#include <string.h>

#include "base/mem.h"
#include "trace/event.h"

struct name {
    const char *text; /* not NUL-terminated */
    uint32_t length;
};

struct name_bucket {
    uint64_t key; /* up to 8 bytes: the text itself, zero-padded; longer: a hash of it */
    uint32_t length;
    uint32_t id_plus_1; /* 0: empty */
};
_Static_assert(sizeof(struct name_bucket) == 16, "four buckets a cache line");

struct name_table {
    struct name *name; /* by id */
    size_t count, name_capacity;
    struct name_bucket *bucket; /* bucket_mask + 1 of them, a power of two; at most half full */
    size_t bucket_mask;
    char *chunk; /* where the next text goes */
    size_t chunk_left;
    struct name_chunk *chunks; /* all of them, to free them */
};

struct names {
    struct mem mem;
    struct name_table of[NAME_CLASSES];
};

void names_init(struct names *names);
void names_free(struct names *names);

/* The id of a name, new or known. The caller refuses a class that reaches MOST_IDS (names_full). */
uint32_t names_id(struct names *names, enum name_class class, const char *text, size_t length);

/* Gives the next id to a text without looking whether it is known: for formats that list names in id order.
 * names_id of that text finds it afterwards (the earliest, where a text was appended twice). */
uint32_t names_append(struct names *names, enum name_class class, const char *text, size_t length);

enum { SHORT_NAME = 8 };

/* What stands for a text in its bucket. */
uint64_t names_key(const char *text, size_t length);

/* Where the probe for a key begins. Keys are texts or hashes of texts: one multiplication spreads both. */
hot_inline size_t names_bucket(const struct name_table *table, uint64_t key)
{
    unsigned __int128 product =
        (unsigned __int128)(key ^ UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xa0761d6478bd642f);
    return ((uint64_t)product ^ (uint64_t)(product >> 64)) & table->bucket_mask;
}

/* Gives the next id to a text with this key. */
uint32_t names_add(struct names *names, enum name_class class, uint64_t key, const char *text, size_t length);

/* names_id of a text whose key is at hand. */
hot_inline uint32_t names_keyed_id(struct names *names, enum name_class class, uint64_t key, const char *text,
                                   size_t length)
{
    const struct name_table *table = &names->of[class];
    for (size_t i = names_bucket(table, key);; i = (i + 1) & table->bucket_mask) {
        const struct name_bucket *bucket = &table->bucket[i];
        if (unlikely(bucket->id_plus_1 == 0))
            return names_add(names, class, key, text, length);
        if (unlikely(bucket->key != key || bucket->length != length))
            continue;
        uint32_t id = bucket->id_plus_1 - 1;
        if (likely(length <= SHORT_NAME || memcmp(table->name[id].text, text, length) == 0))
            return id;
    }
}

static inline bool names_full(const struct names *names, enum name_class class)
{
    return names->of[class].count >= MOST_IDS;
}

static inline struct name names_get(const struct names *names, enum name_class class, uint32_t id)
{
    return names->of[class].name[id];
}

/* The location as text: the decimal itself, the name, or "" where there is none. `number` is scratch space
 * that the result may point into. */
struct name names_location(const struct names *names, uint32_t location, char number[16]);

/* The location code of a text: plain decimals (no leading zero) stand for themselves. */
uint32_t names_location_id(struct names *names, const char *text, size_t length);
