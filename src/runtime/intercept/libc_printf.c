/* printf, scanf and their relatives. */
#include <stdio.h>

#include "runtime/intercept/fd.h"
#include "runtime/intercept/libc_format.h"
#include "runtime/intercept/stream.h"

/* Order through what is behind the stream. How much will be printed is not known: mostly less than this. */
enum { PRINTED_AT_ONCE = 512 };
#define OUT(file)  stream_writing(file, PRINTED_AT_ONCE)
#define OUT_FD(fd) (fd_use(fd, pc), stream_writing_fd(fd))
#define IN(file)   stream_read(file)
#include "runtime/intercept/libc_printf.def"
