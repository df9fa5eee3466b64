/* Names of files, and what there is to know about them. */
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <sys/types.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

#include "runtime/intercept/fd.h"
#include "runtime/intercept/libc.h"

#define P(path) (result != -1 || errno != EFAULT ? S(path) : (void)0)

/* The six letters that are replaced stand `behind` before the end. */
static void template_used(const char *path, int behind, uintptr_t pc)
{
    enum { REPLACED = 6 };
    size_t n = LENGTH(path);
    if (behind < 0 || n < REPLACED + (size_t)behind)
        return;
    size_t from = n - (size_t)behind - REPLACED;
    R(path, from);
    W(path + from, REPLACED);
    R(path + from + REPLACED, (size_t)behind + 1);
}
#define TEMPLATE(path, behind) template_used(path, behind, pc)

/* Descriptors (fd_race.c). */
#define USES(fd)   fd_use(fd, pc)
#define OPENS(fd)  fd_opened(thread_self, fd, pc)
#define CLOSES(fd) fd_close(thread_self, fd, pc)

#include "runtime/intercept/libc_files.def"
