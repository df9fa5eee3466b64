/* What is missing between the two accesses of a race, in words: so far, which locks they were made under. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/live.h"

static void put_thread(char *text, size_t size, const struct live_thread *t)
{
    if (t == NULL)
        snprintf(text, size, "a thread");
    else if (t->id == 0)
        snprintf(text, size, "the main thread");
    else
        snprintf(text, size, "thread T%" PRIu64, t->id);
}

/* "M1 and M2", the first few. */
static void put_locks(char *text, size_t size, const struct live_access *a)
{
    enum { MOST = 4 };
    text[0] = '\0';
    for (size_t i = 0; i < a->lock_count && i < MOST; i++) {
        size_t used = strlen(text);
        const struct live_mutex *m = a->lock[i].mutex;
        snprintf(text + used, size - used, "%sM%u%s%s%s", i == 0 ? "" : " and ", m->number,
                 m->name != NULL ? " (" : "", m->name != NULL ? m->name : "", m->name != NULL ? ")" : "");
    }
    if (a->lock_count > MOST)
        snprintf(text + strlen(text), size - strlen(text), " and others");
}

/* A lock that both hold, then for reading only: else it would order them. */
static const struct live_mutex *common(const struct live_access *a, const struct live_access *b)
{
    for (size_t i = 0; i < a->lock_count; i++)
        for (size_t k = 0; k < b->lock_count; k++)
            if (a->lock[i].mutex == b->lock[k].mutex && a->lock[i].read && b->lock[k].read)
                return a->lock[i].mutex;
    return NULL;
}

const char *live_race_explain(const struct live_race *r, char *text, size_t size)
{
    char first[40], second[40], held[120], others[120];
    const struct live_access *a = &r->earlier, *b = &r->current;
    put_thread(first, sizeof first, a->thread);
    put_thread(second, sizeof second, b->thread);
    put_locks(held, sizeof held, a);
    put_locks(others, sizeof others, b);
    const struct live_mutex *both = common(a, b);
    if (!a->locks_known)
        snprintf(text, size,
                 "Nothing orders the access of %s after that of %s, whose locks are not known any more.",
                 second, first);
    else if (both != NULL)
        snprintf(text, size, "Both held M%u for reading only, which orders nothing between them.",
                 both->number);
    else if (a->lock_count > 0 && b->lock_count > 0)
        snprintf(text, size, "No lock in common: %s held %s, %s held %s; nothing else orders them.", first,
                 held, second, others);
    else if (a->lock_count > 0)
        snprintf(text, size, "%s held %s, %s held no lock; nothing else orders them.", first, held, second);
    else if (b->lock_count > 0)
        snprintf(text, size, "%s held no lock, %s held %s; nothing else orders them.", first, second, others);
    else
        snprintf(text, size,
                 "Neither held a lock, and nothing else orders the access of %s after that of %s.", second,
                 first);
    if (text[0] == 't' || text[0] == 'a')
        text[0] = (char)(text[0] - 'a' + 'A');
    return text;
}
