#include "report/plain_files.h"

#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/regular_file.h"

static bool begins_with(const char *text, const char *beginning)
{
    while (*beginning != '\0' && *text == *beginning) {
        text++;
        beginning++;
    }
    return *beginning == '\0';
}

/* gcc's, of the priority that it has for this, and clang's. */
static bool is_constructor(const GElf_Sym *symbol, const char *name)
{
    return GELF_ST_TYPE(symbol->st_info) == STT_FUNC &&
           (begins_with(name, "_sub_I_00099_") || begins_with(name, "tsan.module_ctor"));
}

/* The start files, and what is linked of glibc and libgcc as a part of every program. */
static bool is_toolchain(const char *file)
{
    static const char *const known[] = {"crtstuff.c",      "abi-note.c",       "init.c",
                                        "static-reloc.c",  "elf-init.c",       "atexit.c",
                                        "at_quick_exit.c", "pthread_atfork.c", "stack_chk_fail_local.c",
                                        "libgcc2.c",       "emutls.c",         "cpuinfo.c"};
    size_t length = strlen(file);
    for (size_t i = 0; i < array_length(known); i++)
        if (strcmp(file, known[i]) == 0)
            return true;
    bool object = length > 2 && strcmp(file + length - 2, ".o") == 0;
    return begins_with(file, "unwind-") || object || length == 0;
}

struct table {
    Elf *elf;
    Elf_Data *data;
    size_t names; /* the section that has them */
    int count;    /* of local symbols, which come first */
};

static const char *symbol_at(const struct table *t, int i, GElf_Sym *symbol)
{
    const char *name =
        gelf_getsym(t->data, i, symbol) != NULL ? elf_strptr(t->elf, t->names, symbol->st_name) : NULL;
    return name != NULL ? name : "";
}

/* Is there a constructor among the symbols from i on, up to the next file? */
static bool has_constructor(const struct table *t, int i, int *end)
{
    bool found = false;
    GElf_Sym symbol;
    for (; i < t->count; i++) {
        const char *name = symbol_at(t, i, &symbol);
        if (GELF_ST_TYPE(symbol.st_info) == STT_FILE)
            break;
        found |= is_constructor(&symbol, name);
    }
    *end = i;
    return found;
}

static void look_at_files(const struct table *t, void (*found)(void *context, const char *file),
                          void *context)
{
    GElf_Sym symbol;
    bool any = false;
    for (int i = 0; i < t->count && !any; i++) {
        const char *name = symbol_at(t, i, &symbol);
        any = is_constructor(&symbol, name);
    }
    for (int i = 0, end; any && i < t->count; i = end) {
        const char *file = symbol_at(t, i, &symbol);
        bool instrumented = has_constructor(t, i + 1, &end);
        if (GELF_ST_TYPE(symbol.st_info) == STT_FILE && !instrumented && !is_toolchain(file))
            found(context, file);
    }
}

void plain_files(const char *path, void (*found)(void *context, const char *file), void *context)
{
    int fd = regular_file_open(path);
    elf_version(EV_CURRENT);
    struct table t = {.elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL};
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    while (t.elf != NULL && (section = elf_nextscn(t.elf, section)) != NULL) {
        if (gelf_getshdr(section, &header) == NULL || header.sh_type != SHT_SYMTAB ||
            header.sh_entsize == 0 || (t.data = elf_getdata(section, NULL)) == NULL)
            continue;
        t.names = header.sh_link;
        t.count = (int)min_size(header.sh_info, header.sh_size / header.sh_entsize);
        look_at_files(&t, found, context);
    }
    if (t.elf != NULL)
        elf_end(t.elf);
    if (fd >= 0)
        close(fd);
}
