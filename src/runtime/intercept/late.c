/* An object calls functions of others through its global offset table, which the dynamic linker fills in at the start or at
 * the first call. Entries are replaced one by one while other threads may use them: such a call goes to either function. */
#include "runtime/intercept/late.h"

#include <link.h>
#include <sys/mman.h>

#include "runtime/intercept/elf.h"
#include "runtime/intercept/real.h"

static const char *const ends[] = {"_exit",   "_Exit",    "execve", "execv",  "execvp", "execvpe",
                                   "fexecve", "execveat", "execl",  "execlp", "execle", "syscall"};

enum { PAGE = 4096 };

/* The pages of an object that are read-only once its references are found. */
struct relro {
    uintptr_t from, to;
};

static void replace(void **entry, void *function, const struct relro *r)
{
    uintptr_t page = (uintptr_t)entry & -(uintptr_t)PAGE;
    bool is_protected = page >= r->from && page < r->to;
    if (is_protected && sys_call3(SYS_mprotect, (long)page, PAGE, PROT_READ | PROT_WRITE) != 0)
        return;
    store_release(entry, function);
    if (is_protected)
        sys_call3(SYS_mprotect, (long)page, PAGE, PROT_READ);
}

/* Our function with the name of the symbol; NULL: it does not end the program. */
static void *own_end(const struct elf *own, const struct elf *elf, uint32_t symbol)
{
    for (size_t i = 0; i < array_length(ends); i++)
        if (elf_named(elf, symbol, ends[i]))
            return elf_function(own, ends[i]);
    return NULL;
}

static void replace_in(const struct elf *elf, const ElfW(Rela) * reference, size_t count,
                       const struct elf *own, const struct relro *r)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t type = ELF64_R_TYPE(reference[i].r_info), symbol = ELF64_R_SYM(reference[i].r_info);
        if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
            continue;
        void *function = own_end(own, elf, (uint32_t)symbol);
        if (function != NULL)
            replace((void **)(elf->base + reference[i].r_offset), function, r);
    }
}

static struct relro relro_of(const struct dl_phdr_info *object)
{
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *s = &object->dlpi_phdr[i];
        uintptr_t from = object->dlpi_addr + s->p_vaddr;
        if (s->p_type == PT_GNU_RELRO)
            return (struct relro){from & -(uintptr_t)PAGE, (from + s->p_memsz) & -(uintptr_t)PAGE};
    }
    return (struct relro){0, 0};
}

static int take_ends_of(struct dl_phdr_info *object, size_t size, void *own)
{
    const ElfW(Dyn) *dynamic = NULL;
    const ElfW(Rela) * table[2] = {NULL, NULL}; /* of calls (PLT), of other references */
    size_t bytes[2] = {0, 0};
    struct elf elf;
    (void)size;
    for (size_t i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    if (dynamic == NULL || !elf_open(&elf, object->dlpi_addr, dynamic))
        return 0;
    for (const ElfW(Dyn) *d = dynamic; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_JMPREL)
            table[0] = elf_pointer(&elf, d);
        if (d->d_tag == DT_RELA)
            table[1] = elf_pointer(&elf, d);
        if (d->d_tag == DT_PLTRELSZ)
            bytes[0] = d->d_un.d_val;
        if (d->d_tag == DT_RELASZ)
            bytes[1] = d->d_un.d_val;
    }
    struct relro r = relro_of(object);
    for (size_t i = 0; i < array_length(table); i++)
        if (table[i] != NULL)
            replace_in(&elf, table[i], bytes[i] / sizeof *table[i], own, &r);
    return 0;
}

void late_take_ends(void)
{
    const struct link_map *us = real_own_object();
    struct elf own;
    if (us != NULL && elf_open(&own, us->l_addr, us->l_ld))
        dl_iterate_phdr(take_ends_of, &own);
}
