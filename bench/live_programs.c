#include "live_programs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void read_line(struct programs *all, char *line, const char *path, unsigned number)
{
    struct program p = {0};
    char racy[8] = "", rest;
    line[strcspn(line, "#\n")] = '\0';
    if (line[strspn(line, " \t")] == '\0')
        return;
    int fields = sscanf(line, "%31s %15s %zu %7s %c", p.name, p.group, &p.small, racy, &rest);
    p.racy = strcmp(racy, "racy") == 0;
    if (fields != 3 + p.racy)
        tool_failed("%s:%u: should be NAME GROUP SIZE_FOR_VALGRIND [racy]", path, number);
    if (all->count == MOST_PROGRAMS)
        tool_failed("%s:%u: more than %d programs", path, number, MOST_PROGRAMS);
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->program[i].name, p.name) == 0)
            tool_failed("%s:%u: %s is there already", path, number, p.name);
    all->program[all->count++] = p;
}

void programs_read(struct programs *all, const char *path)
{
    char line[512];
    FILE *file = fopen(path, "re");
    if (file == NULL)
        tool_failed("bench: cannot read %s: %s", path, strerror(errno));
    all->count = 0;
    for (unsigned number = 1; fgets(line, sizeof line, file) != NULL; number++)
        read_line(all, line, path, number);
    fclose(file);
}

const struct program *programs_find(const struct programs *all, const char *name)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->program[i].name, name) == 0)
            return &all->program[i];
    tool_failed("bench: there is no program '%s' in the list", name);
}
