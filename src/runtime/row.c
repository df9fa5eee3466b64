/* Neighbouring fields of one object, 8 or 16 bytes in all and all read or all written, that the compiler checks by one
 * call (src/place/objects.cpp): what a block begins with, say.
 *
 * Hot path: the words are mostly all in one state, and take one step, whosever the chunk is. Each field has its own
 * entry of the history, so that reports name its line. Where the words differ, or need more than a step, the
 * fields go the ways of single accesses, one after the other.
 */
#include "runtime/access.h"
#include "runtime/loops.h"
#include "runtime/single_threaded.h"
#include "runtime/third_path.h"

static __attribute__((noinline)) bool each_by_itself(uintptr_t address, const struct fields *fields,
                                                     enum access_kind kind)
{
    for (uint32_t i = 0; i < fields->count; i++)
        access_words(address + fields->field[i].offset, fields->field[i].size, kind, fields->field[i].pc + 1);
    return false;
}

hot_inline void remember(struct thread *t, uintptr_t address, const struct fields *fields,
                         enum access_kind kind)
{
    for (uint32_t i = 0; i < fields->count; i++) {
        struct access a = {.address = address + fields->field[i].offset,
                           .pc = fields->field[i].pc + 1,
                           .size = fields->field[i].size,
                           .kind = (uint8_t)kind};
        history_put(t->history, history_access(&a), a.address);
    }
}

/* A free() has met the step of these two words: each field there is told of by itself. */
static void tell_met(struct thread *t, uintptr_t address, const struct fields *fields, enum access_kind kind,
                     uint64_t *pair)
{
    for (uint32_t i = 0; i < fields->count; i++) {
        uint64_t *word = shadow_of(address + fields->field[i].offset);
        if (word != pair && word != pair + 1)
            continue;
        t->actor.met = word;
        access_slow(address + fields->field[i].offset, fields->field[i].size, kind, fields->field[i].pc + 1);
    }
}

/* Some words have taken their step, and are to be remembered; others have not, or a free() has met them. */
static __attribute__((noinline)) bool not_all(uintptr_t address, const struct fields *fields,
                                              enum access_kind kind)
{
    struct thread *t = thread_self;
    remember(t, address, fields, kind);
    if (t->actor.met != NULL)
        tell_met(t, address, fields, kind, t->actor.met);
    return each_by_itself(address, fields, kind);
}

hot_inline bool row_possible(const struct thread *t, uintptr_t address, size_t size, enum access_kind kind)
{
    return likely(address % 8 == 0) && likely(in_one_chunk(address, size)) &&
           likely((t->inside | t->ignore[kind_writes(kind)]) == 0) && likely(history_is_current(t));
}

hot_inline bool row(uintptr_t address, size_t size, const struct fields *fields, enum access_kind kind)
{
    struct thread *t = thread_self;
    size_t done;
    bool changed = false;
    if (likely(t != NULL) && single_threaded_access(t))
        return false;
    if (unlikely(t == NULL) || unlikely(!row_possible(t, address, size, kind)))
        return each_by_itself(address, fields, kind);
    done = row_step(&t->actor, address, size / 4, kind, &changed);
    if (unlikely(done == 0))
        return each_by_itself(address, fields, kind);
    if (unlikely(done < size / 4) || unlikely(t->actor.met != NULL))
        return not_all(address, fields, kind);
    if (likely(changed))
        remember(t, address, fields, kind);
    return false;
}

/* Return false. */
#define ROW(name, size, kind)                                                                                \
    __attribute__((visibility("default"))) bool name(uintptr_t address, const struct fields *fields);        \
    __attribute__((visibility("default"))) bool name(uintptr_t address, const struct fields *fields)         \
    {                                                                                                        \
        return row(address, size, fields, kind);                                                             \
    }

ROW(__pf_read_row8, 8, PLAIN_READ)
ROW(__pf_read_row16, 16, PLAIN_READ)
ROW(__pf_write_row8, 8, PLAIN_WRITE)
ROW(__pf_write_row16, 16, PLAIN_WRITE)
