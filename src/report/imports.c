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

/* Either `name`: does the file define this symbol? Or `words`: does it need a symbol whose name contains one of these, and
 * that `library` defines, unless that is NULL? */
struct question {
    const char *words, *library, *name;
};

static bool look(const char *path, const struct question *q);

static bool matches(const GElf_Sym *symbol, const char *name, const struct question *q)
{
    if (name == NULL)
        return false;
    if (q->name != NULL)
        return symbol->st_shndx != SHN_UNDEF && strcmp(name, q->name) == 0;
    return symbol->st_shndx == SHN_UNDEF && has_word(name, q->words) &&
           (q->library == NULL || look(q->library, &(struct question){.name = name}));
}

static bool section_has(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const struct question *q)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data != NULL && header->sh_entsize > 0 ? header->sh_size / header->sh_entsize : 0;
    GElf_Sym symbol;
    for (size_t i = 0; i < count && gelf_getsym(data, (int)i, &symbol) != NULL; i++)
        if (matches(&symbol, elf_strptr(elf, header->sh_link, symbol.st_name), q))
            return true;
    return false;
}

static bool look(const char *path, const struct question *q)
{
    bool found = false;
    int fd = regular_file_open(path);
    elf_version(EV_CURRENT);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
    Elf_Scn *section = NULL;
    while (!found && elf != NULL && (section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        found = gelf_getshdr(section, &header) != NULL &&
                (header.sh_type == SHT_DYNSYM || (header.sh_type == SHT_SYMTAB && q->name != NULL)) &&
                section_has(elf, section, &header, q);
    }
    if (elf != NULL)
        elf_end(elf);
    if (fd >= 0)
        close(fd);
    return found;
}

/* --- answers are remembered --- */

struct answer {
    const char *path;
    struct question question;
    bool yes;
    struct answer *next;
};

static bool same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* The words and the name are constants. */
static bool ask(const char *path, struct question q)
{
    static struct answer *answers;
    static struct pool pool;
    for (const struct answer *a = answers; a != NULL; a = a->next)
        if (a->question.words == q.words && a->question.name == q.name &&
            same(a->question.library, q.library) && strcmp(a->path, path) == 0)
            return a->yes;
    struct answer *a = pool_take(&pool, sizeof *a);
    *a = (struct answer){pool_text(&pool, path, strlen(path)), q, look(path, &q), answers};
    if (q.library != NULL)
        a->question.library = pool_text(&pool, q.library, strlen(q.library));
    answers = a;
    return a->yes;
}

bool file_imports(const char *path, const char *words)
{
    return ask(path, (struct question){.words = words});
}

bool file_defines(const char *path, const char *name)
{
    return ask(path, (struct question){.name = name});
}

bool file_calls(const char *path, const char *library, const char *words)
{
    return ask(path, (struct question){.words = words, .library = library});
}
