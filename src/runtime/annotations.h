/* What annotations in the program have said about its memory. */
#pragma once

#include "runtime/thread.h"

/* Is a race on the byte at this address annotated as benign? */
HIDDEN bool annotations_benign(uintptr_t address);

/* May there be any? Does not wait for anybody. */
struct benign;
extern HIDDEN struct benign *annotations_first;
hot_inline bool annotations_any_benign(void)
{
    return unlikely(load_relaxed(&annotations_first) != NULL);
}

/* How many such ranges there are now. */
HIDDEN uint64_t annotations_benign_count(void);

/* The memory is freed: what was said of it does not hold for what comes next at these addresses. */
HIDDEN void annotations_forget(uintptr_t address, size_t size);
