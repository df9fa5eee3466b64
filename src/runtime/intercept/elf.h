/* The dynamic symbols of a loaded object, read where the dynamic linker has put them: no lock, no memory. */
#pragma once

#include <link.h>

#include "shadow/map.h"

struct elf {
    uintptr_t base; /* what is added to the addresses in the file */
    const ElfW(Sym) * symbol;
    const char *names;
    const uint16_t *version; /* one a symbol, or NULL */
    const uint32_t *gnu_hash, *hash;
};

/* False: the object has no symbols. */
HIDDEN bool elf_open(struct elf *elf, uintptr_t base, const ElfW(Dyn) * dynamic);

/* What an entry of the dynamic section points to. */
HIDDEN const void *elf_pointer(const struct elf *elf, const ElfW(Dyn) * entry);

/* Is this the name of the symbol with this number? */
HIDDEN bool elf_named(const struct elf *elf, uint32_t index, const char *name);

/* The address of the function in its default version, or NULL. */
HIDDEN void *elf_function(const struct elf *elf, const char *name);

/* Does it use a symbol of this name that another object has to define? */
HIDDEN bool elf_needs(const struct elf *elf, const char *name);
