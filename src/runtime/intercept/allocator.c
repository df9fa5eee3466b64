/* Whose code the allocator is: the library that provides malloc(), if that is not libc, and those that only it needs.
 * Synchronization by such code orders nothing for the program, even outside calls of our malloc() and free(). */
#include <gnu/libc-version.h>
#include <stdlib.h>

#include "base/out.h"
#include "runtime/intercept/caller.h"
#include "runtime/intercept/elf.h"
#include "runtime/intercept/memory.h"
#include "runtime/intercept/needed.h"

enum { LIBRARIES = 16 };

/* Written when objects are loaded, while other threads may look: `count` is 0 meanwhile. */
static struct code {
    uintptr_t from, size;
} library[LIBRARIES];
static size_t count;

bool memory_is_allocator(uintptr_t pc)
{
    for (size_t i = 0, n = load_acquire(&count); unlikely(i < n); i++)
        if (pc - load_relaxed(&library[i].from) < load_relaxed(&library[i].size))
            return true;
    return false;
}

struct search {
    const void *address; /* in the object */
    const char *name;
    struct code found;
    bool is_libc;
    bool apart; /* from libc, the program, and libraries that are instrumented or do the program's work */
};

static int find_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *s = context;
    uintptr_t low, high;
    (void)size;
    caller_bounds(info, &low, &high);
    if ((uintptr_t)s->address - low >= high - low)
        return 0;
    s->name = info->dlpi_name;
    s->found = (struct code){low, high - low};
    s->is_libc = (uintptr_t)REAL(gnu_get_libc_version) - low < high - low;
    s->apart = !s->is_libc && info->dlpi_name[0] != '\0' && caller_module(low) == NULL;
    return 1;
}

/* Adds the object with this address, if it is apart. Returns what was found. */
static struct search add(const void *address, size_t *to)
{
    struct search s = {.address = address};
    dl_iterate_phdr(find_object, &s);
    if (!s.apart || *to == LIBRARIES)
        return s;
    store_relaxed(&library[*to].from, s.found.from);
    store_relaxed(&library[*to].size, s.found.size);
    ++*to;
    return s;
}

bool memory_uses_libc, memory_unseen, memory_own;

/* The program itself defines malloc(): an allocator that is linked statically, or a function that passes calls on to ours. An
 * address in the program does not tell: it may be that of a stub. */
static bool program_defines_malloc(void)
{
    const struct link_map *program = _r_debug.r_map;
    struct elf elf;
    void *its = program != NULL && elf_open(&elf, program->l_addr, program->l_ld)
                    ? elf_function(&elf, "malloc")
                    : NULL;
    return its != NULL && its != (void *)own_malloc;
}

void memory_tell_own(void)
{
    struct out out = {.fd = 2};
    out_text(
        &out,
        "photofinish: malloc() is part of the program, which calls no other: what it locks may hide races, and "
        "blocks of memory are not seen (link a shared library instead)\n");
    out_flush(&out);
}

/* The program calls another library's malloc(), and not ours, which that library precedes. */
static void tell_unseen(const char *name)
{
    if (memory_unseen)
        return;
    memory_unseen = true;
    struct out out = {.fd = 2};
    out_text(&out, "photofinish: malloc() is that of ");
    out_text(&out, name);
    out_text(&out,
             ", which precedes Photofinish: blocks of memory are not seen, so races may be missing or false "
             "(start the program with photofinish run)\n");
    out_flush(&out);
}

void memory_find_allocator(void)
{
    void *(*volatile used)(size_t) = malloc;
    void *code = used == own_malloc ? (void *)REAL(malloc) : (void *)used;
    struct needed brought;
    size_t found = 0;
    static bool looked;
    if (memory_uses_libc)
        return;
    if (!looked)
        store_relaxed(&memory_own, program_defines_malloc());
    looked = true;
    store_release(&count, 0);
    struct search allocator = add(code, &found);
    memory_uses_libc = allocator.is_libc;
    if (found > 0 && used != own_malloc)
        tell_unseen(allocator.name);
    if (found > 0)
        needed_only_by(&brought, library[0].from, library[0].from + library[0].size);
    for (size_t i = 0; found > 0 && i < brought.count; i++)
        add(brought.library[i]->l_ld, &found);
    store_release(&count, found);
}
