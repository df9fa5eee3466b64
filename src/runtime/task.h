/* What the kernel says of a thread of this process: the files of /proc/self/task. */
#pragma once

#include "runtime/thread.h"

/* The beginning of a small file, with a zero after it; its length, 0 if it cannot be read. In a program with rights
 * that its caller lacks none can be (runtime/secure.h). */
HIDDEN size_t task_read(int kernel_id, const char *file, char *text, size_t room);
