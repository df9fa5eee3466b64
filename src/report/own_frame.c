#include "report/own_frame.h"

#include <string.h>

const char *const system_folders[] = {"/usr/include/", "/usr/lib/", "/lib/", NULL};

static bool is_own(const struct live_frame *f)
{
    const char *file = f->source != NULL ? f->source : f->file;
    for (size_t i = 0; file != NULL && system_folders[i] != NULL; i++)
        if (strncmp(file, system_folders[i], strlen(system_folders[i])) == 0)
            return false;
    return file != NULL;
}

const struct live_frame *live_stack_own(const struct live_stack *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (is_own(&s->frame[i]))
            return &s->frame[i];
    return NULL;
}

const struct live_frame *live_stack_shown(const struct live_stack *s)
{
    const struct live_frame *innermost = NULL;
    for (size_t i = s->count; i-- > 0;) {
        const struct live_frame *f = &s->frame[i];
        if (f->file == NULL || f->line == 0)
            continue;
        if (innermost == NULL || is_own(f) || !is_own(innermost))
            innermost = f;
    }
    return innermost;
}
