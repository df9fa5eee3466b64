#include "runtime/run_environment.h"

#include <stdlib.h>
#include <unistd.h>

#include "report/wire.h"
#include "runtime/intercept/io.h"
#include "runtime/options.h"

enum kind {
    WHOLE,
    PART,  /* a part of a list: other parts may be the program's */
    OPTION /* put back only into a new environment: one that keeps the channel lacks options on purpose */
};

/* The channel comes first: it says whether this is a new environment. */
static const struct variable {
    const char *name;
    enum kind kind;
    const char *separators, *file; /* of a list; how the file name of our part begins */
} variables[RUN_VARIABLES] = {
    {WIRE_VARIABLE, WHOLE, NULL, NULL},
    {"LD_PRELOAD", PART, ": ", "libphotofinish.so"},
    {"LD_LIBRARY_PATH", PART, ":;", "photofinish"},
    {"ASAN_OPTIONS", PART, ":", "verify_asan_link_order"},
    {"PHOTOFINISH_OPTIONS", OPTION, NULL, NULL},
    {"TSAN_OPTIONS", OPTION, NULL, NULL},
};

/* NAME=VALUE, in `text`; NULL: it was not set, or there is no room. Written once, at the start. */
static const char *kept[RUN_VARIABLES];
static char text[16 << 10];
static size_t used;

static size_t length_of(const char *string)
{
    size_t length = 0;
    while (string[length] != '\0')
        length++;
    return length;
}

static char *append(char *to, const char *from, size_t length)
{
    for (size_t i = 0; i < length; i++)
        to[i] = from[i];
    return to + length;
}

/* --- lists --- */

static bool is_one_of(char c, const char *set)
{
    while (*set != '\0' && *set != c)
        set++;
    return *set == c; /* also the end of a list */
}

static bool is_ours(const char *part, size_t length, const char *file)
{
    size_t at = length;
    while (at > 0 && part[at - 1] != '/')
        at--;
    for (; at < length && *file != '\0' && part[at] == *file; at++)
        file++;
    return *file == '\0';
}

/* Our part of a list; its length is 0 if there is none. */
static const char *find_part(const struct variable *v, const char *list, size_t *length)
{
    for (const char *part = list;; part += *length + 1) {
        *length = 0;
        while (!is_one_of(part[*length], v->separators))
            ++*length;
        if (is_ours(part, *length, v->file))
            return part;
        if (part[*length] == '\0')
            break;
    }
    *length = 0;
    return list;
}

/* --- what is kept --- */

static void keep(size_t i, const char *value)
{
    const struct variable *v = &variables[i];
    size_t name = length_of(v->name), length = length_of(value);
    if (v->kind == PART)
        value = find_part(v, value, &length);
    if (length == 0 || name + length + 2 > sizeof text - used)
        return;
    char *whole = text + used, *to = append(whole, v->name, name);
    to = append(to, "=", 1);
    to = append(to, value, length);
    *to = '\0';
    used += name + length + 2;
    kept[i] = whole;
}

void run_environment_keep(void)
{
    if (options_environment(WIRE_VARIABLE) == NULL)
        return;
    for (size_t i = 0; i < RUN_VARIABLES; i++) {
        const char *value = options_environment(variables[i].name);
        if (value != NULL)
            keep(i, value);
    }
}

/* --- what is missing --- */

/* Can all of it be read? If not, the kernel must refuse the call, instead of us getting a fault. Asks for each page once. */
static bool is_there(uintptr_t *page, const void *from, size_t size)
{
    enum { PAGE_BITS = 12 };
    uintptr_t first = (uintptr_t)from >> PAGE_BITS, last = ((uintptr_t)from + size - 1) >> PAGE_BITS;
    if ((first == last && last == *page) || io_can_read(from, size)) {
        *page = last;
        return true;
    }
    return false;
}

/* How many variables there are; SIZE_MAX: the environment cannot be read. */
static size_t count_variables(char *const *environment)
{
    uintptr_t array_page = UINTPTR_MAX, page = UINTPTR_MAX;
    for (size_t count = 0;; count++) {
        if (!is_there(&array_page, &environment[count], sizeof *environment))
            return SIZE_MAX;
        const char *c = environment[count];
        if (c == NULL)
            return count;
        do
            if (!is_there(&page, c, 1))
                return SIZE_MAX;
        while (*c++ != '\0');
    }
}

/* The index of the variable, or of the end. */
static size_t find_variable(char *const *environment, const char *name)
{
    size_t i = 0;
    while (environment[i] != NULL && options_value(environment[i], name) == NULL)
        i++;
    return i;
}

/* Plans what is done about one of our variables. Returns how many bytes of text that takes. */
static size_t plan_variable(struct run_environment *plan, char *const *environment, size_t i)
{
    const struct variable *v = &variables[i];
    struct run_missing *m = &plan->missing[i];
    size_t length, at = find_variable(environment, v->name);
    bool there = at < plan->count, is_new = plan->missing[0].is_missing;
    if (kept[i] == NULL || (there && v->kind != PART) || (!there && v->kind == OPTION && !is_new))
        return 0;
    const char *list = there ? options_value(environment[at], v->name) : "";
    if (there && (find_part(v, list, &length), length > 0))
        return 0;
    *m = (struct run_missing){.is_missing = true, .at = at, .list = list, .length = length_of(list)};
    return m->length > 0 ? length_of(kept[i]) + 1 + m->length + 1 : 0;
}

struct run_environment run_environment_plan(char *const *environment)
{
    enum { MOST = 1 << 12 }; /* a stack may be small */
    static char *const nothing[] = {NULL};
    struct run_environment plan = {.count = 0};
    size_t bytes = 0;
    bool any = false;
    if (kept[0] == NULL)
        return plan;
    environment = environment != NULL ? environment : nothing;
    plan.count = count_variables(environment);
    if (plan.count > MOST)
        return plan;
    for (size_t i = 0; i < RUN_VARIABLES; i++) {
        bytes += plan_variable(&plan, environment, i);
        any |= plan.missing[i].is_missing;
    }
    if (any && bytes <= MOST * sizeof(char *))
        plan.room = plan.count + RUN_VARIABLES + 1 + (bytes + sizeof(char *) - 1) / sizeof(char *);
    return plan;
}

char *const *run_environment_complete(const struct run_environment *plan, char *const *environment,
                                      char **room)
{
    if (plan->room == 0)
        return environment;
    size_t count = plan->count;
    char *bytes = (char *)&room[plan->count + RUN_VARIABLES + 1];
    for (size_t i = 0; i < plan->count; i++)
        room[i] = environment[i];
    for (size_t i = 0; i < RUN_VARIABLES; i++) {
        const struct run_missing *m = &plan->missing[i];
        if (!m->is_missing)
            continue;
        char **to = m->at < plan->count ? &room[m->at] : &room[count++];
        *to = m->length > 0 ? bytes : (char *)kept[i];
        if (m->length == 0)
            continue;
        bytes = append(bytes, kept[i], length_of(kept[i]));
        bytes = append(bytes, variables[i].separators, 1);
        bytes = append(bytes, m->list, m->length);
        bytes = append(bytes, "", 1);
    }
    room[count] = NULL;
    return room;
}

void run_environment_restore(void)
{
    const struct run_environment plan = run_environment_plan(environ);
    char *room[plan.room + 1];
    if (plan.room == 0)
        return;
    char *const *completed = run_environment_complete(&plan, environ, room);
    for (size_t i = 0; i < RUN_VARIABLES; i++) {
        const char *name = variables[i].name;
        if (plan.missing[i].is_missing)
            REAL(setenv)(name, options_value(completed[find_variable(completed, name)], name), 1);
    }
}
