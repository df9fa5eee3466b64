/* Runs a program where the kernel refuses something:
 *
 *   sandbox no-personality PROGRAM...   personality(), as in a container
 *   sandbox no-promises PROGRAM...      memory that may be written, more than 1 GiB at a time: as where
 *                                       vm.overcommit_memory is 2, whatever is asked with it (MAP_NORESERVE)
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field)       BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF_EQUAL(k, t, f) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, t, f)
#define IF_LEAST(k, t, f) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, k, t, f)
#define IF_BITS(k, t, f)  BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, k, t, f)
#define ALLOW             BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE(error)     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))

static struct sock_filter no_personality[] = {
    LOAD(nr),
    IF_EQUAL(SYS_personality, 0, 1),
    REFUSE(EPERM),
    ALLOW,
};

/* Size and protection are the second and third argument of both calls. Numbers are read in halves. */
static struct sock_filter no_promises[] = {
    LOAD(nr),
    IF_EQUAL(SYS_mmap, 1, 0),
    IF_EQUAL(SYS_mprotect, 0, 6),
    LOAD(args[2]),
    IF_BITS(PROT_WRITE, 0, 4),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1]) + 4),
    IF_LEAST(1, 3, 0),
    LOAD(args[1]),
    IF_LEAST(1 << 30, 1, 0),
    ALLOW,
    REFUSE(ENOMEM),
};

#define FILTER(rules)                                                                                        \
    &(struct sock_fprog)                                                                                     \
    {                                                                                                        \
        sizeof(rules) / sizeof *(rules), rules                                                               \
    }

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    const struct sock_fprog *filter =
        strcmp(argv[1], "no-personality") == 0 ? FILTER(no_personality) : FILTER(no_promises);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter) != 0) {
        perror("seccomp");
        return 3;
    }
    execv(argv[2], argv + 2);
    perror(argv[2]);
    return 2;
}
