#include "runtime/helper_path.h"

#include <link.h>
#include <sys/stat.h>

#include "runtime/secure.h"

/* --- the candidate --- */

extern HIDDEN ElfW(Dyn) _DYNAMIC[];

/* The program's own, as the linker wrote it; NULL: it has none. */
static const char *run_path(void)
{
    const ElfW(Dyn) *path = NULL, *names = NULL;
    for (const ElfW(Dyn) *d = _DYNAMIC; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_RUNPATH || (d->d_tag == DT_RPATH && path == NULL))
            path = d;
        if (d->d_tag == DT_STRTAB)
            names = d;
    }
    return path != NULL && names != NULL ? (const char *)names->d_un.d_ptr + path->d_un.d_val : NULL;
}

static bool begins_with(const char *text, size_t length, const char *beginning, size_t beginning_length)
{
    for (size_t i = 0; i < beginning_length; i++)
        if (i == length || text[i] != beginning[i])
            return false;
    return true;
}

static bool ends_with(const char *text, size_t length, const char *ending, size_t ending_length)
{
    for (size_t i = 1; i <= ending_length; i++)
        if (i > length || text[length - i] != ending[ending_length - i])
            return false;
    return true;
}

/* Only pfcc's entry counts: others, which the program may have for its own libraries, say nothing about us. */
static bool find_of_run_path(char *path, size_t room)
{
    static const char hidden[] = "/dev/null/", library[] = "/lib/photofinish", program[] = "/bin/photofinish";
    const size_t hidden_length = sizeof hidden - 2; /* its last slash begins our path */
    const char *at = run_path();
    while (at != NULL && *at != '\0') {
        size_t length = 0;
        while (at[length] != '\0' && at[length] != ':')
            length++;
        if (begins_with(at, length, hidden, sizeof hidden - 1) && length < room &&
            ends_with(at + hidden_length, length - hidden_length, library, sizeof library - 1)) {
            size_t prefix = length - hidden_length - (sizeof library - 1);
            for (size_t i = 0; i < prefix; i++)
                path[i] = at[hidden_length + i];
            for (size_t i = 0; i < sizeof program; i++)
                path[prefix + i] = program[i];
            return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}
_Static_assert(sizeof "/lib/photofinish" == sizeof "/bin/photofinish",
               "there is room for the one where the other was");

/* --- whether it may be run --- */

/* What is wrong with a file or directory on the way; NULL: nothing.
 *
 * A directory in which anybody may create files, but take away only their own (/tmp: the sticky bit), is good
 * enough above another directory: that one belongs to root or to us, so nobody else put it there, and nobody else
 * can replace it. It is not above the helper itself: there anybody could link to another program of root's. */
static const char *distrust(const char *path, bool last, bool *shared)
{
    enum { NO_ENTRY = -2, OTHERS_WRITE = 022 };
    struct stat st;
    bool in_shared = *shared;
    long result = sys_call3(SYS_lstat, (long)path, (long)&st, 0);
    if (result != 0)
        return result == NO_ENTRY ? "does not exist" : "cannot be examined";
    if (S_ISLNK(st.st_mode))
        return "is a symbolic link";
    if (last ? !S_ISREG(st.st_mode) : !S_ISDIR(st.st_mode))
        return last ? "is not a program" : "is not a directory";
    if (!secure_trusts(st.st_uid))
        return "belongs to another user";
    *shared = (st.st_mode & OTHERS_WRITE) != 0;
    if ((*shared && (last || (st.st_mode & S_ISVTX) == 0)) || (last && in_shared))
        return "can be replaced by other users: they may write to it, or to its directory";
    return NULL;
}

/* From the root down. Once a directory has passed, no other user can change where a name in it leads, so what is
 * examined next is what will be run. Leaves the path of what did not pass. */
static const char *distrust_way(char *path)
{
    bool shared = false;
    const char *problem = distrust("/", false, &shared);
    for (size_t i = 1; problem == NULL; i++) {
        char next = path[i];
        if (next != '/' && next != '\0')
            continue;
        path[i] = '\0';
        problem = distrust(path, next == '\0', &shared);
        if (next == '\0')
            return problem;
        if (problem == NULL)
            path[i] = next;
    }
    return problem;
}

void helper_path_find(struct helper_path *helper)
{
    bool library = helper_path_of_library != NULL;
    helper->path[0] = '\0';
    helper->problem = NULL;
    if (library ? !helper_path_of_library(helper->path, sizeof helper->path)
                : !find_of_run_path(helper->path, sizeof helper->path))
        helper->problem = library ? "it is not known where the runtime's library is"
                                  : "no directory lib/photofinish is in the program's run path";
    else
        helper->problem = distrust_way(helper->path);
}
