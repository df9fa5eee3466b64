/* The environment, users, hosts, the system; arrays and trees. */
#include <arpa/inet.h>
#include <grp.h>
#include <iconv.h>
#include <net/if.h>
#include <netdb.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "runtime/intercept/libc.h"

/* Changed by several threads at once if need be, but not while somebody looks. */
#define CHANGED(pointer) libc_range(pointer, sizeof *(pointer), ATOMIC_WRITE, pc)

/* How much of the first n characters a string is, with its end if that is among them. */
#define UP_TO(s, n) min_size(REAL(strnlen)(s, n) + 1, n)

/* --- records with strings in them --- */

static void user_written(struct passwd *user, uintptr_t pc)
{
    if (user == NULL)
        return;
    W(user, 1);
    T(user->pw_name);
    T(user->pw_passwd);
    T(user->pw_gecos);
    T(user->pw_dir);
    T(user->pw_shell);
}
#define USER(user) user_written(user, pc)

static void list_written(char **list, uintptr_t pc)
{
    if (list == NULL)
        return;
    size_t n = 0;
    for (; list[n] != NULL; n++)
        T(list[n]);
    W(list, n + 1);
}

static void group_written(struct group *group, uintptr_t pc)
{
    if (group == NULL)
        return;
    W(group, 1);
    T(group->gr_name);
    T(group->gr_passwd);
    list_written(group->gr_mem, pc);
}
#define GROUP(group) group_written(group, pc)

static void host_written(struct hostent *host, uintptr_t pc)
{
    if (host == NULL)
        return;
    W(host, 1);
    T(host->h_name);
    list_written(host->h_aliases, pc);
    for (char **address = host->h_addr_list; *address != NULL; address++) {
        W(address, 1);
        W(*address, host->h_length);
    }
}
#define HOST(host) host_written(host, pc)

static void addresses_written(struct addrinfo **to, uintptr_t pc)
{
    W(to, 1);
    for (struct addrinfo *a = *to; a != NULL; a = a->ai_next) {
        W(a, 1);
        W((char *)a->ai_addr, a->ai_addrlen);
        T(a->ai_canonname);
    }
}
#define ADDRESSES(to) addresses_written(to, pc)

/* --- trees ---
 *
 * What libc keeps in its nodes cannot be seen from here. But of the root's node the program may only use the
 * key; the rest of it stands for the tree: read by who looks for something, written by who may change it. */

struct tree_node {
    const void *key;
    uintptr_t left, right;
};

static void tree_used(const void *root, enum access_kind kind, uintptr_t pc)
{
    const struct tree_node *node =
        (const void *)((uintptr_t)root & ~(uintptr_t)1); /* glibc marks nodes in bit 0 */
    if (node != NULL)
        libc_range(&node->left, sizeof node->left + sizeof node->right, kind, pc);
}

#define TREE_CHANGES(root)                                                                                   \
    void *before = NULL;                                                                                     \
    if (root != NULL) {                                                                                      \
        before = *root;                                                                                      \
        R(root, 1);                                                                                          \
        tree_used(before, PLAIN_WRITE, pc);                                                                  \
    }
#define TREE_CHANGED(root)                                                                                   \
    if (root != NULL && *root != before) {                                                                   \
        W(root, 1);                                                                                          \
        tree_used(*root, PLAIN_WRITE, pc);                                                                   \
    }

#include "runtime/intercept/libc_system.def"
