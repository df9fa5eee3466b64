/* Programs with rights that their caller lacks: set-user-ID, set-group-ID, file capabilities. The kernel says so
 * (AT_SECURE), and the dynamic linker heeds the same word.
 *
 * The caller of such a program chooses its environment, and what lies in its directories. So in such a program:
 *   1. no environment variable is looked at (options_environment), and ours are taken out of the environment
 *      before the program can start another with them;
 *   2. no file is opened: every file that the runtime opens goes through secure_open;
 *   3. no channel is opened and no helper is started (channel.c);
 *   4. reports have no addresses: they would tell where the program lies in memory (report_plain.c).
 */
#pragma once

#include <fcntl.h>
#include <sys/auxv.h>

#include "base/sys.h"

static inline bool secure_mode(void)
{
    return getauxval(AT_SECURE) != 0;
}

/* For reading; a negative number is the kernel's error. */
static inline long secure_open(const char *path)
{
    enum { NOT_PERMITTED = 1 };
    return secure_mode() ? -NOT_PERMITTED : sys_call3(SYS_open, (long)path, O_RDONLY | O_CLOEXEC, 0);
}
