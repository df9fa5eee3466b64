/* What the conversions of a printf() or scanf() format do to the memory that their arguments point to.
 *
 * Formats are read twice: once for the types of the arguments, which may be named by number, and once more
 * for what the conversions mean. A conversion that is not known (printf's can be added to) ends the reading:
 * where the arguments after it lie is not known either. So do more than FORMAT_ARGUMENTS of them.
 */
#pragma once

#include <stdarg.h>

#include "runtime/intercept/libc.h"

enum { FORMAT_ARGUMENTS = 64 };

/* Strings that are printed, and %n. Before the call. */
HIDDEN void format_printed(const void *format, bool wide, va_list list, uintptr_t pc);

/* What `assigned` conversions have stored. After the call. */
HIDDEN void format_scanned(const void *format, bool wide, va_list list, int assigned, uintptr_t pc);
