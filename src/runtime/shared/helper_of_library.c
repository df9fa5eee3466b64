/* For the runtime as a library of its own; not in the archive for programs, where "beside the runtime" would be
 * beside the program, wherever somebody has put that. */
#include "runtime/helper_path.h"

#include "runtime/maps.h"

struct search {
    char *path;
    size_t room;
    bool found;
};

/* PREFIX/lib/photofinish/libphotofinish.so.0 is of PREFIX/bin/photofinish. */
static bool find_beside(void *context, const struct image *image)
{
    struct search *s = context;
    uintptr_t here = (uintptr_t)&find_beside;
    if (here < image->from || here >= image->to)
        return true;
    static const char program[] = "/bin/photofinish";
    size_t slash[3] = {0, 0, 0};
    for (size_t i = 0; image->path[i] != '\0'; i++)
        if (image->path[i] == '/') {
            slash[0] = slash[1];
            slash[1] = slash[2];
            slash[2] = i;
        }
    if (slash[0] + sizeof program > s->room)
        return false;
    for (size_t i = 0; i < slash[0]; i++)
        s->path[i] = image->path[i];
    for (size_t i = 0; i < sizeof program; i++)
        s->path[slash[0] + i] = program[i];
    s->found = true;
    return false;
}

bool helper_path_of_library(char *path, size_t room)
{
    struct search s = {path, room, false};
    maps_each_image(find_beside, &s);
    return s.found;
}
