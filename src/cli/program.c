#include "cli/program.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/problem.h"
#include "base/regular_file.h"
#include "report/completeness.h"

char *program_file(const char *name)
{
    const char *path = getenv("PATH");
    if (strchr(name, '/') != NULL || path == NULL)
        return strdup(name);
    for (;; path++) {
        char *file;
        int length = (int)strcspn(path, ":"); /* 0: the current directory */
        if (asprintf(&file, "%.*s%s%s", length, path, length > 0 ? "/" : "", name) < 0)
            tool_failed("out of memory");
        if (access(file, X_OK) == 0)
            return file;
        free(file);
        path += length;
        if (*path == '\0')
            return NULL;
    }
}

/* The dynamic linker that an executable names is glibc's for x86-64; or it names none. */
static bool has_linker_of_ours(Elf *elf)
{
    size_t count = 0, size;
    const char *bytes = elf_rawfile(elf, &size);
    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, (int)i, &segment) == NULL || segment.p_type != PT_INTERP)
            continue;
        static const char linker[] = "/ld-linux-x86-64.so.2";
        size_t length = sizeof linker; /* with the zero at its end */
        return bytes != NULL && segment.p_filesz >= length && segment.p_offset <= size &&
               segment.p_filesz <= size - segment.p_offset &&
               memcmp(bytes + segment.p_offset + segment.p_filesz - length, linker, length) == 0;
    }
    return true;
}

bool program_takes_library(const char *file)
{
    int fd = regular_file_open(file);
    elf_version(EV_CURRENT);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
    bool takes = elf == NULL || elf_kind(elf) != ELF_K_ELF || has_linker_of_ours(elf);
    if (elf != NULL)
        elf_end(elf);
    if (fd >= 0)
        close(fd);
    return takes && module_instrumented(file) != INSTRUMENTED_OTHER_RUNTIME;
}
