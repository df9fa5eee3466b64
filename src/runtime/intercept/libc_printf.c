/* printf, scanf and their relatives. */
#include <stdio.h>

#include "runtime/intercept/libc_format.h"

#include "runtime/intercept/libc_printf.def"
