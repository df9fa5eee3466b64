/* Word count: each thread counts the words of its part of a text in a table of its own; then each merges what
 * all tables have of its part of the words. SIZE is the number of words. */
#include <ctype.h>

#include "program.h"

enum { WORDS = 4096, LONGEST_WORD = 16, FIRST_SLOTS = 64 };

/* Open addressing: a word is at the first slot from its hash on that is its own or empty (count 0). The word
 * is not copied, and in lower case only in the eyes of same_word(). */
struct slot {
    const char *word;
    uint32_t length, hash;
    uint64_t count;
};

struct table {
    struct slot *slot;
    size_t slots, used; /* slots: a power of 2 */
};

static char *text, *text_end;
static struct table *counted, *merged; /* a table for each thread */
static pthread_barrier_t barrier;

static char vocabulary[WORDS][LONGEST_WORD];
static uint64_t written[WORDS]; /* how often each word is in the text */

static bool same_word(const struct slot *a, const struct slot *b)
{
    if (a->hash != b->hash || a->length != b->length)
        return false;
    for (uint32_t i = 0; i < a->length; i++)
        if (tolower((unsigned char)a->word[i]) != tolower((unsigned char)b->word[i]))
            return false;
    return true;
}

static struct slot *find(const struct table *table, const struct slot *word)
{
    size_t at = word->hash & (table->slots - 1);
    while (table->slot[at].count != 0 && !same_word(&table->slot[at], word))
        at = (at + 1) & (table->slots - 1);
    return &table->slot[at];
}

static void grow(struct table *table)
{
    struct table old = *table;
    table->slots = old.slots == 0 ? FIRST_SLOTS : old.slots * 2;
    table->slot = program_memory(table->slots, sizeof *table->slot);
    for (size_t i = 0; i < old.slots; i++)
        if (old.slot[i].count != 0)
            *find(table, &old.slot[i]) = old.slot[i];
    free(old.slot);
}

static void add(struct table *table, const struct slot *word)
{
    if (table->used * 2 >= table->slots)
        grow(table);
    struct slot *slot = find(table, word);
    if (slot->count == 0) {
        *slot = *word;
        table->used++;
    } else {
        slot->count += word->count;
    }
}

/* The word that begins there; it ends at the limit at the latest. */
static struct slot word_at(const char *from, const char *limit)
{
    uint32_t hash = 2166136261u;
    const char *to = from;
    for (; to < limit && isalpha((unsigned char)*to); to++)
        hash = (hash ^ (uint32_t)tolower((unsigned char)*to)) * 16777619u;
    return (struct slot){
        .word = from, .length = (uint32_t)(to - from), .hash = hash ^ hash >> 16, .count = 1};
}

/* Counts the words that begin there; the last one may end behind. */
static void count_part(struct table *table, const char *at, const char *end)
{
    if (at > text && isalpha((unsigned char)at[-1]))
        at += word_at(at, text_end).length; /* the rest of a word that began before */
    while (at < end) {
        if (!isalpha((unsigned char)*at)) {
            at++;
            continue;
        }
        struct slot word = word_at(at, text_end);
        add(table, &word);
        at += word.length;
    }
}

static unsigned owner_of(uint32_t hash)
{
    return (hash >> 20) % threads;
}

static void work(unsigned me)
{
    size_t length = (size_t)(text_end - text);
    count_part(&counted[me], text + share(length, me), text + share(length, me + 1));
    pthread_barrier_wait(&barrier);
    for (unsigned other = 0; other < threads; other++)
        for (size_t i = 0; i < counted[other].slots; i++) {
            const struct slot *slot = &counted[other].slot[i];
            if (slot->count != 0 && owner_of(slot->hash) == me)
                add(&merged[me], slot);
        }
}

/* A different word for each number: its digits, and filling that the number decides. */
static void make_word(char *word, uint32_t number)
{
    uint32_t seed = number + 1, rest = number;
    for (unsigned i = 0; i < 3; i++, rest /= 26)
        *word++ = (char)('a' + rest % 26);
    for (unsigned more = random_next(&seed) % 8; more > 0; more--)
        *word++ = (char)('a' + (random_next(&seed) >> 8) % 26);
    *word = '\0';
}

/* A few words are frequent and many are rare; a sentence starts with a capital letter. */
static void make_text(void)
{
    static const char *const separators[] = {" ", " ", " ", " ", " ", ", ", ". ", "\n"};
    uint32_t seed = 1;
    bool capital = true;
    text = text_end = program_memory(size, LONGEST_WORD + 2);
    for (size_t i = 0; i < size; i++) {
        uint32_t random = random_next(&seed) >> 8, below = 1u << (1 + random % 12);
        uint32_t number = random / 12 % below;
        const char *separator = separators[random_next(&seed) >> 8 & 7];
        written[number]++;
        for (const char *from = vocabulary[number]; *from != '\0'; from++, capital = false)
            *text_end++ = (char)(capital ? toupper((unsigned char)*from) : *from);
        capital = *separator == '.';
        while (*separator != '\0')
            *text_end++ = *separator++;
    }
}

/* How many words of the vocabulary have the count that they should have. */
static uint64_t right_words(void)
{
    uint64_t right = 0;
    for (uint32_t i = 0; i < WORDS; i++) {
        struct slot word = word_at(vocabulary[i], vocabulary[i] + LONGEST_WORD);
        const struct table *table = &merged[owner_of(word.hash)];
        right += (table->slots == 0 ? 0 : find(table, &word)->count) == written[i];
    }
    return right;
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 600000);
    for (uint32_t i = 0; i < WORDS; i++)
        make_word(vocabulary[i], i);
    make_text();
    counted = program_memory(threads, sizeof *counted);
    merged = program_memory(threads, sizeof *merged);
    pthread_barrier_init(&barrier, NULL, threads);
    program_run(work);
    uint64_t words = 0;
    for (unsigned i = 0; i < threads; i++)
        for (size_t at = 0; at < merged[i].slots; at++)
            words += merged[i].slot[at].count;
    return program_end("the number of words", words, size) |
           program_end("words with the right count", right_words(), WORDS);
}
