#include "runtime/intercept/elf.h"

#include <elf.h>

enum { VERSION_HIDDEN = 0x8000 }; /* not the default version of its name */

const void *elf_pointer(const struct elf *elf, const ElfW(Dyn) * entry)
{
    /* Some dynamic linkers add the base in place, some do not. */
    uintptr_t at = entry->d_un.d_ptr;
    return (const void *)(at < elf->base ? at + elf->base : at);
}

bool elf_open(struct elf *elf, uintptr_t base, const ElfW(Dyn) * dynamic)
{
    *elf = (struct elf){.base = base};
    for (const ElfW(Dyn) *d = dynamic; d != NULL && d->d_tag != DT_NULL; d++) {
        const void *at = elf_pointer(elf, d);
        switch (d->d_tag) {
        case DT_SYMTAB:
            elf->symbol = at;
            break;
        case DT_STRTAB:
            elf->names = at;
            break;
        case DT_VERSYM:
            elf->version = at;
            break;
        case DT_GNU_HASH:
            elf->gnu_hash = at;
            break;
        case DT_HASH:
            elf->hash = at;
            break;
        }
    }
    return elf->symbol != NULL && elf->names != NULL && (elf->gnu_hash != NULL || elf->hash != NULL);
}

bool elf_named(const struct elf *elf, uint32_t index, const char *name)
{
    const char *a = elf->names + elf->symbol[index].st_name;
    while (*a != '\0' && *a == *name)
        a++, name++;
    return *a == *name;
}

static bool defines(const struct elf *elf, uint32_t index, const char *name)
{
    const ElfW(Sym) *symbol = &elf->symbol[index];
    return symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 &&
           !(elf->version != NULL && elf->version[index] & VERSION_HIDDEN) && elf_named(elf, index, name);
}

/* The index of the symbol, or 0. */
static uint32_t find_by_gnu_hash(const struct elf *elf, const char *name)
{
    uint32_t hash = 5381;
    for (const char *c = name; *c != '\0'; c++)
        hash = hash * 33 + (unsigned char)*c;
    uint32_t buckets = elf->gnu_hash[0], first = elf->gnu_hash[1], bloom_words = elf->gnu_hash[2];
    const uint32_t *bucket = elf->gnu_hash + 4 + bloom_words * (sizeof(ElfW(Addr)) / 4),
                   *chain = bucket + buckets;
    uint32_t index = buckets != 0 ? bucket[hash % buckets] : 0;
    if (index < first)
        return 0;
    for (;; index++) {
        uint32_t entry = chain[index - first];
        if ((entry | 1) == (hash | 1) && defines(elf, index, name))
            return index;
        if (entry & 1)
            return 0;
    }
}

static uint32_t find_one_by_one(const struct elf *elf, const char *name)
{
    uint32_t count = elf->hash[1];
    for (uint32_t i = 1; i < count; i++)
        if (defines(elf, i, name))
            return i;
    return 0;
}

void *elf_function(const struct elf *elf, const char *name)
{
    uint32_t index = elf->gnu_hash != NULL ? find_by_gnu_hash(elf, name) : find_one_by_one(elf, name);
    if (index == 0)
        return NULL;
    void *address = (void *)(elf->base + elf->symbol[index].st_value);
    if (ELF64_ST_TYPE(elf->symbol[index].st_info) == STT_GNU_IFUNC)
        return ((void *(*)(void))address)(); /* several implementations: the object itself chooses one */
    return address;
}

bool elf_needs(const struct elf *elf, const char *name)
{
    /* A GNU hash table is about the defined symbols, which come last. */
    uint32_t count = elf->gnu_hash != NULL ? elf->gnu_hash[1] : elf->hash[1];
    for (uint32_t i = 1; i < count; i++)
        if (elf->symbol[i].st_shndx == SHN_UNDEF && elf_named(elf, i, name))
            return true;
    return false;
}
