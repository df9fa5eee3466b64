#include "report/source_place.h"

#include <string.h>

/* Takes . and .. and double slashes out of an absolute path. */
static char *tidy(struct pool *pool, const char *path)
{
    char *out = pool_take(pool, strlen(path) + 2);
    size_t used = 0;
    for (const char *at = path; *at != '\0';) {
        at += strspn(at, "/");
        size_t length = strcspn(at, "/");
        if (length == 2 && memcmp(at, "..", 2) == 0) {
            while (used > 0 && out[--used] != '/')
                continue;
        } else if (length > 0 && !(length == 1 && at[0] == '.')) {
            out[used++] = '/';
            memcpy(out + used, at, length);
            used += length;
        }
        at += length;
    }
    out[used] = '\0';
    return out;
}

const char *source_relative(struct pool *pool, const char *directory, const char *file)
{
    const char *whole = file[0] == '/' ? file : pool_format(pool, "%s/%s", directory, file);
    const char *from = tidy(pool, directory), *path = tidy(pool, whole);
    size_t length = strlen(from);
    return strncmp(path, from, length) == 0 && path[length] == '/' && path[length + 1] != '\0'
               ? path + length + 1
               : NULL;
}

bool source_place_of_frame(const struct live_frame *f, const char *directory, struct pool *pool,
                           struct source_place *place)
{
    const char *path = f->file != NULL && f->line > 0 ? source_relative(pool, directory, f->file) : NULL;
    *place = (struct source_place){path, f->line, f->column, f};
    return path != NULL;
}

bool source_place_of_stack(const struct live_stack *s, const char *directory, struct pool *pool,
                           struct source_place *place)
{
    for (size_t i = 0; i < s->count; i++)
        if (source_place_of_frame(&s->frame[i], directory, pool, place))
            return true;
    return false;
}
