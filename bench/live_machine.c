#include "live_machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static void learn_processor(char name[128])
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    snprintf(name, 128, "unknown processor");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':') != NULL) {
            snprintf(name, 128, "%.*s", (int)strcspn(strchr(line, ':') + 2, "\n"), strchr(line, ':') + 2);
            break;
        }
    if (file != NULL)
        fclose(file);
}

static void learn_valgrind(char version[128])
{
    FILE *pipe = popen("valgrind --version 2>/dev/null", "r");
    if (pipe == NULL || fgets(version, 128, pipe) == NULL)
        snprintf(version, 128, "no valgrind");
    version[strcspn(version, "\n")] = '\0';
    if (pipe != NULL)
        pclose(pipe);
}

struct machine machine_learn(const struct live_builder *b)
{
    struct machine m = {.processors = (unsigned)sysconf(_SC_NPROCESSORS_ONLN)};
    struct utsname system;
    time_t now = time(NULL);
    uname(&system);
    learn_processor(m.processor);
    learn_valgrind(m.valgrind);
    snprintf(m.kernel, sizeof m.kernel, "%.60s %.60s", system.sysname, system.release);
    snprintf(m.gcc, sizeof m.gcc, "%.120s", b->tool[GCC].there ? b->tool[GCC].how : "no gcc");
    snprintf(m.clang, sizeof m.clang, "%.120s", b->tool[CLANG].there ? b->tool[CLANG].how : "no clang-19");
    strftime(m.date, sizeof m.date, "%Y-%m-%d %H:%M", localtime(&now));
    return m;
}

void machine_print(const struct machine *m)
{
    printf("Photofinish " PF_VERSION ", %s, on %u x %s, %s;\n%s; %s; %s\n", m->date, m->processors,
           m->processor, m->kernel, m->gcc, m->clang, m->valgrind);
}
