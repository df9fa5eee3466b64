/* Which libraries a library needs, itself included: those whose constructors it may rely on. */
#pragma once

#include <link.h>

#include "shadow/map.h"

enum { NEEDED_MOST = 256 };

struct needed {
    const struct link_map *library[NEEDED_MOST];
    size_t count; /* 0: there is no such library any more */
};

/* Of the library of this handle of dlopen's; or, without one, of the library with this code. */
HIDDEN void needed_of(struct needed *needed, const void *handle, uintptr_t code);

/* Those that only the library with this code needs, and those that only these need; not the library itself. */
HIDDEN void needed_only_by(struct needed *needed, uintptr_t from, uintptr_t to);

/* The last of those that are loaded; and all that have been loaded since it was. */
HIDDEN const struct link_map *needed_last(void);
HIDDEN void needed_since(struct needed *needed, const struct link_map *last);
