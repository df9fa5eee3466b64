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
#include <sys/types.h>

#include "base/sys.h"

static inline bool secure_mode(void)
{
    return getauxval(AT_SECURE) != 0;
}

/* Whether the process may give what it has to a user: root, or the one that it belongs to. A process with several users'
 * rights, such as a server of root's that acts for a client (seteuid), belongs to none of them. */
static inline bool secure_trusts(uid_t user)
{
    uid_t real, effective, saved;
    if (user == 0)
        return true;
    return sys_call3(SYS_getresuid, (long)&real, (long)&effective, (long)&saved) == 0 && user == real &&
           user == effective && user == saved;
}

/* For reading; a negative number is the kernel's error. */
static inline long secure_open(const char *path)
{
    enum { NOT_PERMITTED = 1 };
    return secure_mode() ? -NOT_PERMITTED : sys_call3(SYS_open, (long)path, O_RDONLY | O_CLOEXEC, 0);
}
