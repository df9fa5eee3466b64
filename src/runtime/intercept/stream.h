/* Streams are buffers in front of file descriptors: what goes through one is ordered as what goes through the
 * descriptor (fd.h), at the calls that have the buffer filled or emptied. libc does that by itself, unseen;
 * so a call that may do it counts as one that does. */
#pragma once

#include <stdio.h>

#include "runtime/intercept/fd.h"

/* Before a call that writes so many bytes: does not matter if they stay in the buffer. */
HIDDEN void stream_writing(FILE *file, size_t size);
/* ... without a stream. */
HIDDEN void stream_writing_fd(int fd);
/* ... that empties the buffer. */
HIDDEN void stream_flushing(FILE *file);
/* After a call that has read. */
HIDDEN void stream_read(FILE *file);

/* After a stream was opened, or NULL; before it is closed, with its descriptor. */
HIDDEN void stream_opened(FILE *file);
HIDDEN void stream_closing(FILE *file);

/* fopen() has opened a stream and its descriptor; fclose() is about to close both. Not for freopen(). */
HIDDEN void stream_begins(FILE *file, uintptr_t pc);
HIDDEN void stream_ends(FILE *file, uintptr_t pc);
