#include "runtime/intercept/caller.h"

#include "runtime/atomic_sync.h"
#include "runtime/intercept/elf.h"
#include "runtime/world.h"

/* --- instrumented code --- */

struct module *caller_modules;
static struct arena memory;

extern HIDDEN ElfW(Dyn) _DYNAMIC[];

static const ElfW(Dyn) * dynamic_of(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    return NULL;
}

/* Each instrumented object calls __tsan_init. The program itself, the object without a name, may be linked
 * with the runtime statically: then it is the object that we are in. */
static bool starts_us(const struct dl_phdr_info *info)
{
    struct elf elf;
    const ElfW(Dyn) *dynamic = dynamic_of(info);
    bool with_us = dynamic == _DYNAMIC && info->dlpi_name[0] == '\0';
    bool open = elf_open(&elf, info->dlpi_addr, dynamic);
    if (with_us || (open && elf_needs(&elf, "__tsan_atomic_thread_fence")))
        store_relaxed(&atomic_fences_exist, true);
    return with_us || (open && elf_needs(&elf, "__tsan_init"));
}

void caller_bounds(const struct dl_phdr_info *info, uintptr_t *low, uintptr_t *high)
{
    *low = UINTPTR_MAX;
    *high = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + segment->p_vaddr, to = from + segment->p_memsz;
        if (segment->p_type != PT_LOAD)
            continue;
        *low = from < *low ? from : *low;
        *high = to > *high ? to : *high;
    }
}

static int find_instrumented(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    return starts_us(info);
}

static int find_asking(struct dl_phdr_info *info, size_t size, void *unused)
{
    struct elf elf;
    (void)size;
    (void)unused;
    return elf_open(&elf, info->dlpi_addr, dynamic_of(info)) && elf_needs(&elf, "__tsan_init");
}

bool caller_any_asks(void)
{
    return dl_iterate_phdr(find_asking, NULL) != 0;
}

bool caller_any_instrumented(void)
{
    return dl_iterate_phdr(find_instrumented, NULL) != 0;
}

/* The C++ library, which does part of the program's work (std::string) and synchronizes by what we see. In a program
 * that is not instrumented, and has only loaded a library that is, it works for code whose atomics we do not see. */
static bool is_cxx_library(const char *path)
{
    static const char *const names[] = {"libstdc++.so", "libc++.so", "libc++abi.so"};
    const char *file = path;
    for (const char *c = path; *c != '\0'; c++)
        if (*c == '/')
            file = c + 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = 0;
        while (names[i][n] != '\0' && names[i][n] == file[n])
            n++;
        if (names[i][n] == '\0')
            return true;
    }
    return false;
}

/* Nothing has used its variables yet; what was at these addresses may have been unloaded where we did not see
 * it. */
static void begin_anew(uintptr_t from, size_t size)
{
    struct thread *t = thread_self;
    if (t == NULL || shadow_base == 0)
        return;
    world_clear(from, size);
}

static bool program_instrumented;
static unsigned long long
    looked_at; /* how many objects had ever been loaded; under the dynamic linker's lock */

struct look {
    bool first;
    uintptr_t pc;
};

static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
    struct look *look = context;
    (void)size;
    if (look->first && info->dlpi_adds == looked_at)
        return 1; /* there are no new ones */
    look->first = false;
    looked_at = info->dlpi_adds;
    uintptr_t low, high;
    caller_bounds(info, &low, &high);
    struct module *known = caller_module(low);
    if (known != NULL && look->pc >= low && look->pc < high && known->unloaded != info->dlpi_subs) {
        begin_anew(low, high - low); /* it is another one, or the same again */
        known->unloaded = info->dlpi_subs;
    }
    bool instrumented = known == NULL && starts_us(info);
    if (info->dlpi_name[0] == '\0') /* the first of them all */
        program_instrumented |= instrumented;
    if (known != NULL || (!instrumented && !(program_instrumented && is_cxx_library(info->dlpi_name))))
        return 0;
    if (instrumented)
        begin_anew(low, high - low);
    struct module *m = arena_take(&memory, sizeof *m);
    *m = (struct module){.from = low,
                         .to = high,
                         .instrumented = instrumented,
                         .unloaded = info->dlpi_subs,
                         .next = caller_modules};
    store_release(&caller_modules, m);
    return 0;
}

void caller_look_at_objects(uintptr_t pc)
{
    dl_iterate_phdr(look_at, &(struct look){.first = true, .pc = pc});
}

void caller_forget(uintptr_t code)
{
    for (struct module *m = load_acquire(&caller_modules); m != NULL; m = m->next)
        if (code >= m->from && code < m->to)
            store_relaxed(&m->to, 0);
}

/* --- objects --- */

void object_written(struct thread *t, const volatile void *object, size_t size, uintptr_t pc)
{
    (void)t;
    if (caller_instrumented(pc))
        access_slow((uintptr_t)object, size, PLAIN_WRITE, pc);
}

void object_used(struct thread *t, const volatile void *object, bool listed, uintptr_t pc)
{
    if (caller_instrumented(pc) && !thread_ignores(t, ATOMIC_READ))
        access_use(t, (uintptr_t)object, listed, pc);
}

void object_shared(struct thread *t, const volatile void *object, uintptr_t pc)
{
    if (caller_instrumented(pc) && !thread_ignores(t, ATOMIC_READ))
        access_compare(t, (uintptr_t)object, pc);
}
