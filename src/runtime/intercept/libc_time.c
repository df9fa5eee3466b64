/* Time. */
#include <errno.h>
#include <locale.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <utime.h>

#include "runtime/intercept/libc.h"

#include "runtime/intercept/libc_time.def"
