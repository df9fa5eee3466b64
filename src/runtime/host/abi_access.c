/* The compiler's entry points for reads and writes on the generic host: no short cut but those of
 * host/access.c and host/stream.h. */
#include "runtime/access.h"
#include "runtime/host/events.h"
#include "runtime/host/recorder.h"
#include "runtime/host/stream.h"
#include "runtime/loops.h"

#define ENTRY     __attribute__((visibility("default")))
#define CALLER_PC ((uintptr_t)__builtin_return_address(0))

/* The stream that the thread's access goes to; NULL: somewhere else, or nowhere. */
hot_inline struct stream *stream_here(const struct thread *t)
{
    return likely(t != NULL && t->inside == 0 && t->host != NULL) ? t->host->stream : NULL;
}

/* Is what the filter knows so? */
hot_inline bool filter_counts(const struct stream *s)
{
    return likely(load_acquire(&stream_clears) == s->forgotten);
}

hot_inline void access(uintptr_t address, size_t size, enum access_kind kind, uintptr_t pc)
{
    struct thread *t = thread_self;
    struct stream *s = stream_here(t);
    if (unlikely(s == NULL || (kind_writes(kind) ? t->ignore_writes : t->ignore_reads) != 0 ||
                 address % 8 + size > 8)) {
        access_slow(address, size, kind, pc);
        return;
    }
    stream_enter_first(t);
    uint64_t *entry = filter_of(s, address / 8), now = filter_now(s, address / 8, *entry);
    unsigned bytes = filter_bytes(address, size), known = filter_known(now, kind);
    if ((bytes & ~known) != 0 || unlikely(recorder_repeats)) {
        stream_small(s, address, (unsigned)kind | (unsigned)size << TAPE_SIZE_SHIFT, pc, entry,
                     now | filter_bits(address, size, kind));
    } else if (unlikely(!filter_counts(s))) {
        stream_leave_last(t);
        access_slow(address, size, kind, pc);
    } else if (hint_due(&s->hints, address, bytes, known, kind)) {
        hint_give(t, &s->hints, address, bytes, kind, s->forgotten);
    } else {
        stream_leave_last(t);
    }
}

#define ACCESS(name, size, kind)                                                                             \
    ENTRY void name(uintptr_t address);                                                                      \
    ENTRY void name(uintptr_t address)                                                                       \
    {                                                                                                        \
        access(address, size, kind, CALLER_PC);                                                              \
    }

#define BOTH(size)                                                                                           \
    ACCESS(__tsan_read##size, size, PLAIN_READ)                                                              \
    ACCESS(__tsan_write##size, size, PLAIN_WRITE)                                                            \
    ACCESS(__pf_read##size, size, PLAIN_READ)                                                                \
    ACCESS(__pf_write##size, size, PLAIN_WRITE)

#define UNALIGNED(size)                                                                                      \
    ACCESS(__tsan_unaligned_read##size, size, PLAIN_READ)                                                    \
    ACCESS(__tsan_unaligned_write##size, size, PLAIN_WRITE)

BOTH(1)
BOTH(2)
BOTH(4)
BOTH(8)
BOTH(16)
UNALIGNED(2)
UNALIGNED(4)
UNALIGNED(8)
UNALIGNED(16)

ENTRY void __tsan_read_range(uintptr_t address, size_t size);
ENTRY void __tsan_read_range(uintptr_t address, size_t size)
{
    access_slow(address, size, PLAIN_READ, CALLER_PC);
}

ENTRY void __tsan_write_range(uintptr_t address, size_t size);
ENTRY void __tsan_write_range(uintptr_t address, size_t size)
{
    access_slow(address, size, PLAIN_WRITE, CALLER_PC);
}

ENTRY void __tsan_vptr_read(uintptr_t address);
ENTRY void __tsan_vptr_read(uintptr_t address)
{
    access_slow(address, sizeof(void *), PLAIN_READ, CALLER_PC);
}

ENTRY void __tsan_vptr_update(uintptr_t address, const void *value);
ENTRY void __tsan_vptr_update(uintptr_t address, const void *value)
{
    access_slow(address, sizeof value, access_of_vptr(address, value), CALLER_PC);
}

/* Up to so many elements are as many accesses: a row is 38 bytes of the tape, an access of a loop mostly one. */
enum { FEW = 8 };

static bool is_row(size_t count)
{
    return count > FEW && stream_here(thread_self) != NULL;
}

/* What the compiler has moved out of a loop (src/place/). */
static void each(uintptr_t first, size_t size, ptrdiff_t stride, size_t count, enum access_kind kind,
                 uintptr_t pc)
{
    if (is_row(count)) {
        struct race_access_live a = {.address = first, .pc = pc, .size = size, .kind = kind};
        stream_row(thread_self, &a, stride, count, NULL);
        return;
    }
    for (; count > 0; count--, first += (uintptr_t)stride)
        access(first, size, kind, pc);
}

ENTRY void __pf_reads(uintptr_t first, size_t size, ptrdiff_t stride, size_t count);
ENTRY void __pf_reads(uintptr_t first, size_t size, ptrdiff_t stride, size_t count)
{
    each(first, size, stride, count, PLAIN_READ, CALLER_PC);
}

ENTRY void __pf_writes(uintptr_t first, size_t size, ptrdiff_t stride, size_t count);
ENTRY void __pf_writes(uintptr_t first, size_t size, ptrdiff_t stride, size_t count)
{
    each(first, size, stride, count, PLAIN_WRITE, CALLER_PC);
}

/* The same for neighbouring fields, as in runtime/loops.h. */
static bool groups(uintptr_t first, ptrdiff_t stride, size_t count, const struct fields *fields,
                   enum access_kind kind)
{
    if (is_row(count)) {
        struct race_access_live a = {.address = first, .size = fields->size, .kind = kind};
        stream_row(thread_self, &a, stride, count, fields);
        return false;
    }
    for (; count > 0; count--, first += (uintptr_t)stride)
        for (uint32_t i = 0; i < fields->count; i++)
            access(first + fields->field[i].offset, fields->field[i].size, kind, fields->field[i].pc + 1);
    return false;
}

ENTRY bool __pf_read_groups(uintptr_t first, ptrdiff_t stride, size_t count, const struct fields *fields);
ENTRY bool __pf_read_groups(uintptr_t first, ptrdiff_t stride, size_t count, const struct fields *fields)
{
    return groups(first, stride, count, fields, PLAIN_READ);
}

ENTRY bool __pf_write_groups(uintptr_t first, ptrdiff_t stride, size_t count, const struct fields *fields);
ENTRY bool __pf_write_groups(uintptr_t first, ptrdiff_t stride, size_t count, const struct fields *fields)
{
    return groups(first, stride, count, fields, PLAIN_WRITE);
}

/* Fields of one object: as in runtime/fields.c. */
#define ROW(name, kind)                                                                                      \
    ENTRY bool name(uintptr_t address, const struct fields *fields);                                         \
    ENTRY bool name(uintptr_t address, const struct fields *fields)                                          \
    {                                                                                                        \
        return groups(address, fields->size, 1, fields, kind);                                               \
    }

ROW(__pf_read_row8, PLAIN_READ)
ROW(__pf_read_row16, PLAIN_READ)
ROW(__pf_write_row8, PLAIN_WRITE)
ROW(__pf_write_row16, PLAIN_WRITE)
ROW(__pf_read_bytes, PLAIN_READ)
ROW(__pf_write_bytes, PLAIN_WRITE)

/* Two accesses to one object, in turn: as in runtime/fields.c. */
#define PAIR(name, first, second)                                                                            \
    ENTRY bool name(uintptr_t a, uintptr_t b, const uintptr_t *place);                                       \
    ENTRY bool name(uintptr_t a, uintptr_t b, const uintptr_t *place)                                        \
    {                                                                                                        \
        access(a, 8, first, place[0] + 1);                                                                   \
        access(b, 8, second, place[1] + 1);                                                                  \
        return false;                                                                                        \
    }

PAIR(__pf_read_read8, PLAIN_READ, PLAIN_READ)
PAIR(__pf_read_write8, PLAIN_READ, PLAIN_WRITE)
PAIR(__pf_write_read8, PLAIN_WRITE, PLAIN_READ)
PAIR(__pf_write_write8, PLAIN_WRITE, PLAIN_WRITE)
