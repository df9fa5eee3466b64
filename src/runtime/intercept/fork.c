/* New processes. fork() tells us by handlers (runtime/world.c, runtime/end.c); what does not, or not all, is
 * here. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runtime/end.h"
#include "runtime/intercept/real.h"
#include "runtime/world.h"

/* fork() without handlers. */
INTERCEPT pid_t _Fork(void)
{
    world_before_fork();
    pid_t child = REAL(_Fork)();
    if (child != 0) {
        world_after_fork();
        return child;
    }
    world_after_fork_in_child();
    end_forked();
    return 0;
}

/* As the C library's, which ends the parent where we do not see it. The parent's end says nothing of the
 * program, which goes on as the child: whatever was found, its status is the same. */
INTERCEPT int daemon(int stay, int keep_open)
{
    pid_t child = fork();
    if (child < 0)
        return -1;
    if (child > 0) {
        end_come();
        sys_exit_process(0);
    }
    if (setsid() < 0)
        return -1;
    if (!stay && chdir("/") != 0) {
        /* it stays where it is */
    }
    if (keep_open)
        return 0;
    struct stat what;
    int fd = open("/dev/null", O_RDWR);
    if (fd < 0 || fstat(fd, &what) != 0 || !S_ISCHR(what.st_mode) || what.st_rdev != makedev(1, 3))
        return -1;
    for (int i = 0; i < 3; i++)
        dup2(fd, i);
    if (fd > 2)
        close(fd);
    return 0;
}

/* --- vfork ---
 *
 * The child runs in the parent's memory, as the thread that called, until it becomes another program or ends;
 * then the parent returns from the same call. Only registers are the parent's own: the return address and the
 * call stack as it was are kept there. Of what the child has not finished, nothing is left. */

HIDDEN struct frame *fork_top(void);
HIDDEN pid_t fork_shared(long result, struct frame *top);

struct frame *fork_top(void)
{
    return thread_self != NULL ? thread_self->top : NULL;
}

/* In the parent. */
pid_t fork_shared(long result, struct frame *top)
{
    struct thread *t = thread_self;
    if (t != NULL && top != NULL) {
        t->top = top;
        t->actor.owner.busy = 0;
        store_release(&t->working, 0);
        t->inside = 1;
        thread_outside(t);
    }
    if (result < 0) {
        errno = (int)-result;
        return -1;
    }
    return (pid_t)result;
}

__asm__(".text\n"
        ".globl vfork\n"
        ".type vfork, @function\n"
        "vfork:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call fork_top\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    movq %rax, %rsi\n"
        "    popq %rdi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    .cfi_register %rip, %rdi\n"
        "    movl $58, %eax\n" /* the system call */
        "    syscall\n"
        "    pushq %rdi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_offset %rip, -8\n"
        "    testq %rax, %rax\n"
        "    je 1f\n"
        "    movq %rax, %rdi\n"
        "    jmp fork_shared\n"
        "1:  ret\n"
        "    .cfi_endproc\n"
        ".size vfork, . - vfork\n");
