/* dlclose. The dynamic linker unmaps a library where we do not see it: what is no longer there afterwards is
 * forgotten, as with munmap, and reports may still name what was done in it (runtime/maps.h). Only
 * instrumented libraries count: of the others' memory hardly anything is in the shadow.
 *
 * No state but what is on the way: the dynamic linker runs constructors and destructors of the program
 * meanwhile. */
#include <dlfcn.h>

#include "runtime/access.h"
#include "runtime/intercept/caller.h"
#include "runtime/intercept/elf.h"
#include "runtime/intercept/loader.h"
#include "runtime/maps.h"
#include "runtime/world.h"

enum { MOST = 256, LONGEST = 400, PAGE = 4096 };

struct library {
    uintptr_t from, to, code;
    uint64_t offset;
    char path[LONGEST];
};

struct libraries {
    size_t count;
    struct library library[MOST];
};

static void measure(struct library *l, const struct dl_phdr_info *info)
{
    *l = (struct library){.from = UINTPTR_MAX};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t from = (info->dlpi_addr + segment->p_vaddr) & -(uintptr_t)PAGE,
                  to = (info->dlpi_addr + segment->p_vaddr + segment->p_memsz + PAGE - 1) & -(uintptr_t)PAGE;
        if (segment->p_type != PT_LOAD)
            continue;
        l->from = from < l->from ? from : l->from;
        l->to = to > l->to ? to : l->to;
        if (segment->p_flags & PF_X && l->code == 0) {
            l->code = from;
            l->offset = segment->p_offset & -(uint64_t)PAGE;
        }
    }
    for (size_t i = 0; i < LONGEST - 1 && info->dlpi_name[i] != '\0'; i++)
        l->path[i] = info->dlpi_name[i];
}

static int add(struct dl_phdr_info *info, size_t size, void *context)
{
    struct libraries *all = context;
    struct library *l = &all->library[all->count];
    (void)size;
    if (all->count == MOST)
        return 1;
    measure(l, info);
    all->count += info->dlpi_name[0] != '\0' && caller_instrumented(l->code);
    return 0;
}

static bool is_in(const struct libraries *all, const struct library *l)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->library[i].from == l->from && all->library[i].to == l->to)
            return true;
    return false;
}

static void forget(struct thread *t, const struct library *l)
{
    world_clear(l->from, l->to - l->from);
    world_enter(t);
    caller_forget(l->code);
    maps_remember(&(struct closed_image){
        .from = l->from, .to = l->to, .code = l->code, .offset = l->offset, .path = l->path});
    world_leave(t);
}

INTERCEPT int dlclose(void *handle)
{
    struct thread *t = caller();
    if (t == NULL)
        return REAL(dlclose)(handle);
    bool locked = loader_lock(t);
    if (locked)
        loader_closing(t, handle);
    struct libraries *before = arena_pages(2 * sizeof *before), *after = before + 1;
    dl_iterate_phdr(add, before);
    int result = REAL(dlclose)(handle);
    dl_iterate_phdr(add, after);
    for (size_t i = 0; i < before->count; i++)
        if (!is_in(after, &before->library[i]))
            forget(t, &before->library[i]);
    arena_pages_free(before, 2 * sizeof *before);
    loader_unlock(locked);
    return result;
}
