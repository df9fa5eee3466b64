/* Places of the source as code hosts want them: relative to where the tool was started, as a rule the
 * project's root. */
#pragma once

#include "report/live.h"

struct source_place {
    const char *path; /* relative, without . and .. */
    uint32_t line;    /* at least 1 */
    uint32_t column;  /* 0: unknown */
    const struct live_frame *frame;
};

/* NULL: it lies elsewhere. */
const char *source_relative(struct pool *pool, const char *directory, const char *file);

/* The innermost frame that lies in the directory. False: none does. */
bool source_place_of_stack(const struct live_stack *stack, const char *directory, struct pool *pool,
                           struct source_place *place);
/* The same of one frame. */
bool source_place_of_frame(const struct live_frame *frame, const char *directory, struct pool *pool,
                           struct source_place *place);
