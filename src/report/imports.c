#include "report/imports.h"

#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "report/pool.h"

static bool has_word(const char *name, const char *words)
{
    for (size_t length; *words != '\0'; words += length + (words[length] == ' ')) {
        length = strcspn(words, " ");
        if (memmem(name, strlen(name), words, length) != NULL)
            return true;
    }
    return false;
}

static bool section_imports(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *words)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data != NULL && header->sh_entsize > 0 ? header->sh_size / header->sh_entsize : 0;
    GElf_Sym symbol;
    for (size_t i = 0; i < count && gelf_getsym(data, (int)i, &symbol) != NULL; i++) {
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (symbol.st_shndx == SHN_UNDEF && name != NULL && has_word(name, words))
            return true;
    }
    return false;
}

static bool look(const char *path, const char *words)
{
    bool found = false;
    int fd = regular_file_open(path);
    elf_version(EV_CURRENT);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
    Elf_Scn *section = NULL;
    while (!found && elf != NULL && (section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        found = gelf_getshdr(section, &header) != NULL && header.sh_type == SHT_DYNSYM &&
                section_imports(elf, section, &header, words);
    }
    if (elf != NULL)
        elf_end(elf);
    if (fd >= 0)
        close(fd);
    return found;
}

struct answer {
    const char *path, *words;
    bool imports;
    struct answer *next;
};

bool file_imports(const char *path, const char *words)
{
    static struct answer *answers;
    static struct pool pool;
    for (const struct answer *a = answers; a != NULL; a = a->next)
        if (a->words == words && strcmp(a->path, path) == 0)
            return a->imports;
    struct answer *a = pool_take(&pool, sizeof *a);
    *a = (struct answer){pool_text(&pool, path, strlen(path)), words, look(path, words), answers};
    answers = a;
    return a->imports;
}
