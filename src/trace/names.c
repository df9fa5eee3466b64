/* Invariants of a table:
 *   1. count * 2 <= bucket_mask + 1, so that every probe ends at an empty bucket
 *   2. every id < count has exactly one bucket, at or after names_bucket(key), with no empty bucket between
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "trace/names.h"

enum { CHUNK_BYTES = 64 << 10, FIRST_BUCKETS = 256, SMALL_BUCKETS = 64 << 10 };

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "keys of short names are loaded as words");

struct name_chunk {
    struct name_chunk *next;
    size_t size; /* of the whole block */
    char text[];
};

/* The bytes themselves, so that equal keys and equal lengths mean equal texts. */
hot_inline uint64_t short_key(const char *text, size_t length)
{
    if (length >= 4) {
        uint32_t low, high;
        memcpy(&low, text, 4);
        memcpy(&high, text + length - 4, 4);
        return low | (uint64_t)high << (8 * (length - 4));
    }
    uint64_t key = 0;
    if (length > 0) {
        key = (uint8_t)text[0];
        key |= (uint64_t)(uint8_t)text[length / 2] << (8 * (length / 2));
        key |= (uint64_t)(uint8_t)text[length - 1] << (8 * (length - 1));
    }
    return key;
}

uint64_t names_key(const char *text, size_t length)
{
    return likely(length <= SHORT_NAME) ? short_key(text, length) : XXH3_64bits(text, length);
}

void names_init(struct names *names)
{
    *names = (struct names){0};
    for (int class = 0; class < NAME_CLASSES; class ++) {
        struct name_table *table = &names->of[class];
        table->bucket = mem_alloc(&names->mem, FIRST_BUCKETS * sizeof *table->bucket);
        table->bucket_mask = FIRST_BUCKETS - 1;
    }
}

void names_free(struct names *names)
{
    for (int class = 0; class < NAME_CLASSES; class ++) {
        struct name_table *table = &names->of[class];
        for (struct name_chunk *chunk = table->chunks, *next; chunk != NULL; chunk = next) {
            next = chunk->next;
            mem_free(&names->mem, chunk, chunk->size);
        }
        mem_free(&names->mem, table->name, table->name_capacity * sizeof *table->name);
        mem_free(&names->mem, table->bucket, (table->bucket_mask + 1) * sizeof *table->bucket);
        *table = (struct name_table){0};
    }
}

/* Should the next name find more buckets? Small tables are kept at most a quarter full: their lookups miss no
 * cache, so that the second probe of a collision, which no branch predictor foresees, is what they cost. */
static bool is_crowded(const struct name_table *table)
{
    size_t buckets = table->bucket_mask + 1;
    return (table->count + 1) * (buckets < SMALL_BUCKETS ? 4 : 2) > buckets;
}

/* Puts a bucket where a probe for its key will find it, after those that are already there. */
static void place(struct name_table *table, struct name_bucket bucket)
{
    size_t i = names_bucket(table, bucket.key);
    while (table->bucket[i].id_plus_1 != 0)
        i = (i + 1) & table->bucket_mask;
    table->bucket[i] = bucket;
}

static void double_buckets(struct names *names, struct name_table *table)
{
    struct name_bucket *old = table->bucket;
    size_t old_count = table->bucket_mask + 1;
    table->bucket = mem_alloc(&names->mem, 2 * old_count * sizeof *old);
    table->bucket_mask = 2 * old_count - 1;
    for (size_t i = 0; i < old_count; i++)
        if (old[i].id_plus_1 != 0)
            place(table, old[i]);
    mem_free(&names->mem, old, old_count * sizeof *old);
}

/* A copy of the text that lives as long as the table. */
static const char *keep_text(struct names *names, struct name_table *table, const char *text, size_t length)
{
    if (length > table->chunk_left || table->chunk == NULL) {
        size_t size = sizeof(struct name_chunk) + (length > CHUNK_BYTES ? length : CHUNK_BYTES);
        struct name_chunk *chunk = mem_alloc(&names->mem, size);
        chunk->size = size;
        chunk->next = table->chunks;
        table->chunks = chunk;
        table->chunk = chunk->text;
        table->chunk_left = size - sizeof *chunk;
    }
    char *copy = table->chunk;
    if (length > 0)
        memcpy(copy, text, length);
    table->chunk += length;
    table->chunk_left -= length;
    return copy;
}

cold_path uint32_t names_add(struct names *names, enum name_class class, uint64_t key, const char *text,
                             size_t length)
{
    struct name_table *table = &names->of[class];
    require(table->count < MOST_IDS && length <= UINT32_MAX);
    if (is_crowded(table))
        double_buckets(names, table);
    table->name =
        mem_reserve(&names->mem, table->name, sizeof *table->name, &table->name_capacity, table->count + 1);
    uint32_t id = (uint32_t)table->count++;
    table->name[id] =
        (struct name){.text = keep_text(names, table, text, length), .length = (uint32_t)length};
    place(table, (struct name_bucket){.key = key, .length = (uint32_t)length, .id_plus_1 = id + 1});
    return id;
}

uint32_t names_id(struct names *names, enum name_class class, const char *text, size_t length)
{
    return names_keyed_id(names, class, names_key(text, length), text, length);
}

uint32_t names_append(struct names *names, enum name_class class, const char *text, size_t length)
{
    return names_add(names, class, names_key(text, length), text, length);
}

struct name names_location(const struct names *names, uint32_t location, char number[16])
{
    if (location == NO_LOCATION)
        return (struct name){.text = "", .length = 0};
    if (location & LOCATION_NAMED)
        return names_get(names, NAME_LOCATION, location & ~LOCATION_NAMED);
    char *digit = number + 16;
    do {
        *--digit = (char)('0' + location % 10);
        location /= 10;
    } while (location != 0);
    return (struct name){.text = digit, .length = (uint32_t)(number + 16 - digit)};
}

uint32_t names_location_id(struct names *names, const char *text, size_t length)
{
    enum { MOST_DIGITS = 10 };
    uint64_t number = 0;
    size_t i = 0;
    if (length <= MOST_DIGITS)
        while (i < length && (uint8_t)(text[i] - '0') <= 9)
            number = number * 10 + (uint8_t)(text[i++] - '0');
    bool plain = i > 0 && i == length && (text[0] != '0' || length == 1);
    if (likely(plain && number < LOCATION_NAMED))
        return (uint32_t)number;
    return LOCATION_NAMED | names_id(names, NAME_LOCATION, text, length);
}
