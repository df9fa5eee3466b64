/* Which frame of a stack is the program's own: what one line says of a stack, and what races are told apart by. */
#pragma once

#include "report/live.h"

/* Where the headers and sources of the system lie; NULL after the last. */
extern const char *const system_folders[];

/* The innermost frame of the program's own code, not of the system's; NULL: no frame is known to be. */
const struct live_frame *live_stack_own(const struct live_stack *stack);

/* The frame that one line names, and whose source is shown: the innermost of the program's own that has a line,
 * or else the innermost that has one. NULL: none has. */
const struct live_frame *live_stack_shown(const struct live_stack *stack);
