/* New memory, or memory given back: its shadow is empty again. Memory that moves takes its shadow along. */
#include "shadow/readers.h"
#include "shadow/record.h"

static void zero_words(uint64_t *from, uint64_t *to)
{
    for (; from < to; from++)
        store_relaxed(from, 0);
}

/* A pair of records (shadow/record.h) of which only one word is cleared. */
static void separate_at(uint64_t *edge)
{
    if (unlikely((uintptr_t)edge & sizeof *edge))
        record_separate(edge);
}

enum { PAGE = 4096, GIVE_BACK_FROM = 16 * PAGE };

void shadow_clear(uintptr_t address, size_t size)
{
    if (size == 0)
        return;
    owner_thaw(address, size);
    uint64_t *from = shadow_of(address), *to = shadow_of(address + size - 1) + 1;
    separate_at(from);
    separate_at(to);
    if ((uintptr_t)to - (uintptr_t)from < GIVE_BACK_FROM) {
        zero_words(from, to);
        return;
    }
    /* Whole pages go back to the kernel, which returns them zeroed when they are next used. */
    uintptr_t first = ((uintptr_t)from + PAGE - 1) & -(uintptr_t)PAGE, last = (uintptr_t)to & -(uintptr_t)PAGE;
    zero_words(from, (uint64_t *)first);
    sys_call3(SYS_madvise, (long)first, (long)(last - first), MADV_DONTNEED);
    zero_words((uint64_t *)last, to);
}

/* Expanded words stay behind: their records belong to the word (shadow/record.h). The bytes there begin anew. So do
 * vectors, but not the readers in them. */
static uint64_t moved(uint64_t word)
{
    if (word_expanded(word))
        return 0;
    return is_readers(read_half(word)) ? (uint64_t)readers_intern(read_half(word)) << 32 | write_half(word) : word;
}

void shadow_move(uintptr_t from, uintptr_t to, size_t size)
{
    owner_thaw(from, size);
    owner_take(to, size);
    for (size_t offset = 0; offset < size; offset += 4)
        store_relaxed(shadow_of(to + offset), moved(load_relaxed(shadow_of(from + offset))));
}
