/* New processes. fork() tells us by handlers (runtime/world.c, runtime/end.c); what does not, or not all, is
 * here. */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runtime/end.h"
#include "runtime/intercept/io.h"
#include "runtime/report.h"
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

/* --- clone, vfork, and the system calls ---
 *
 * A child that has a copy of the memory is a fork()'s by another name. One that runs in the parent's memory while the
 * parent waits is the thread that called, until it becomes another program or ends; then the parent returns from the same
 * call, and of what the child has not finished, nothing is left. All others are threads that the C library does not know:
 * they are left alone.
 */

enum fork_way {
    FORK_COPIED = 1,
    FORK_SHARED = 2,
    FORK_NEW_STACK = 4 /* of the child; otherwise it goes on with the caller's */
};

static unsigned way_of(uint64_t flags, uint64_t stack)
{
    const uint64_t shared = CLONE_VM | CLONE_VFORK;
    unsigned way = !(flags & CLONE_VM)                           ? FORK_COPIED
                   : (flags & (shared | CLONE_THREAD)) == shared ? FORK_SHARED
                                                                 : 0;
    return way | (stack != 0 ? FORK_NEW_STACK : 0);
}

/* NULL: a handler in a thread that has ended as far as we are concerned, which stays inside the runtime. */
static struct frame *top_now(void)
{
    const struct thread *t = thread_self;
    return t != NULL && t->inside == 0 ? t->top : NULL;
}

/* In the parent, after the child. */
static void shared_ends(struct frame *top)
{
    struct thread *t = thread_self;
    if (t == NULL || top == NULL)
        return;
    t->top = top;
    actor_left(&t->actor);
    store_release(&t->working, 0);
    t->inside = 1;
    thread_outside(t);
}

static void copied_begins(void)
{
    world_after_fork_in_child();
    end_forked();
}

struct child {
    int (*function)(void *);
    void *argument;
};

/* The C library ends the process when this returns, without asking anybody. */
static int run_child(void *argument)
{
    struct child child = *(const struct child *)argument;
    copied_begins();
    int own = child.function(child.argument), status = end_come();
    if (status != 0)
        report_exit(status);
    return own;
}

int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...);

#define CLONE(real)                                                                                          \
    va_list more;                                                                                            \
    va_start(more, argument);                                                                                \
    void *parent_id = va_arg(more, void *), *tls = va_arg(more, void *), *child_id = va_arg(more, void *);   \
    va_end(more);                                                                                            \
    unsigned way = way_of((uint64_t)flags, 0);                                                               \
    if (way == 0)                                                                                            \
        thread_unseen_made();                                                                                \
    if (way == 0 || function == NULL)                                                                        \
        return real(function, stack, flags, argument, parent_id, tls, child_id);                             \
    if (way == FORK_SHARED) {                                                                                \
        struct frame *top = top_now();                                                                       \
        int child = real(function, stack, flags, argument, parent_id, tls, child_id);                        \
        shared_ends(top);                                                                                    \
        return child;                                                                                        \
    }                                                                                                        \
    world_before_fork();                                                                                     \
    int child =                                                                                              \
        real(run_child, stack, flags, &(struct child){function, argument}, parent_id, tls, child_id);        \
    world_after_fork();                                                                                      \
    return child

INTERCEPT int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
    CLONE(REAL(clone));
}

INTERCEPT int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
    CLONE(REAL(__clone));
}

/* --- by number ---
 *
 * The child comes out of the same system call, in registers all its own, and perhaps on another stack. On a shared one it
 * overwrites what is below the caller's frame: so the return address, and what the parent needs to know, wait in
 * registers that the kernel leaves alone. */

struct fork_started {
    struct frame *top;
    uint64_t way;
};

HIDDEN struct fork_started fork_starting(long number, uint64_t first, uint64_t second);
HIDDEN void fork_in_child(void);
HIDDEN long fork_in_parent(long result, struct frame *top, uint64_t way);

struct fork_started fork_starting(long number, uint64_t first, uint64_t second)
{
    uint64_t flags = 0, stack = 0;
    if (number == SYS_vfork) {
        flags = CLONE_VM | CLONE_VFORK;
    } else if (number == SYS_clone) {
        flags = first;
        stack = second;
    } else if (number == SYS_clone3) {
        const struct clone_args *arguments = (const struct clone_args *)first;
        if (second < CLONE_ARGS_SIZE_VER0 || !io_can_read(arguments, CLONE_ARGS_SIZE_VER0))
            return (struct fork_started){NULL, 0}; /* the kernel will refuse it */
        flags = arguments->flags;
        stack = arguments->stack;
    }
    struct fork_started started = {top_now(), way_of(flags, stack)};
    if (started.way & FORK_COPIED)
        world_before_fork();
    else if (!(started.way & FORK_SHARED))
        thread_unseen_made();
    return started;
}

void fork_in_child(void)
{
    copied_begins();
}

long fork_in_parent(long result, struct frame *top, uint64_t way)
{
    if (way & FORK_COPIED)
        world_after_fork();
    if (way & FORK_SHARED)
        shared_ends(top);
    if (result >= 0)
        return result;
    errno = (int)-result;
    return -1;
}

__asm__(".text\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        "syscall:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    cmpq $56, %rdi\n" /* clone */
        "    je .Lprocess\n"
        "    cmpq $57, %rdi\n" /* fork */
        "    je .Lprocess\n"
        "    cmpq $58, %rdi\n" /* vfork */
        "    je .Lprocess\n"
        "    cmpq $435, %rdi\n" /* clone3 */
        "    je .Lprocess\n"
        "    jmp system_call_passed\n"
        ".Lprocess:\n"
        "    pushq %rdi\n"
        "    pushq %rsi\n"
        "    pushq %rdx\n"
        "    pushq %rcx\n"
        "    pushq %r8\n"
        "    pushq %r9\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 56\n"
        "    call fork_starting\n"
        "    movq %rax, %xmm1\n" /* top */
        "    movq %rdx, %xmm2\n" /* way */
        "    addq $8, %rsp\n"
        "    popq %r9\n"
        "    popq %r8\n"
        "    popq %rcx\n"
        "    popq %rdx\n"
        "    popq %rsi\n"
        "    popq %rax\n"
        "    .cfi_adjust_cfa_offset -56\n"
        "    popq %r11\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    .cfi_register %rip, %r11\n"
        "    movq %r11, %xmm0\n" /* the return address */
        "    movq %rsi, %rdi\n"
        "    movq %rdx, %rsi\n"
        "    movq %rcx, %rdx\n"
        "    movq %r8, %r10\n"
        "    movq %r9, %r8\n"
        "    syscall\n"
        "    .cfi_undefined %rip\n"
        "    movq %xmm0, %r11\n"
        "    testq %rax, %rax\n"
        "    jne .Lparent\n"
        "    movq %xmm2, %rax\n"
        "    testb $4, %al\n" /* FORK_NEW_STACK: its own return address is on it */
        "    jne .Lchild\n"
        "    pushq %r11\n"
        ".Lchild:\n"
        "    testb $1, %al\n" /* FORK_COPIED */
        "    je .Lreturn\n"
        "    pushq %rbp\n"
        "    movq %rsp, %rbp\n"
        "    andq $-16, %rsp\n"
        "    call fork_in_child\n"
        "    leave\n"
        ".Lreturn:\n"
        "    xorl %eax, %eax\n"
        "    ret\n"
        ".Lparent:\n"
        "    pushq %r11\n"
        "    movq %rax, %rdi\n"
        "    movq %xmm1, %rsi\n"
        "    movq %xmm2, %rdx\n"
        "    jmp fork_in_parent\n"
        "    .cfi_endproc\n"
        ".size syscall, . - syscall\n"
        ".globl vfork\n"
        ".type vfork, @function\n"
        "vfork:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    movl $58, %edi\n"
        "    jmp .Lprocess\n"
        "    .cfi_endproc\n"
        ".size vfork, . - vfork\n");
_Static_assert(SYS_clone == 56 && SYS_fork == 57 && SYS_vfork == 58 && SYS_clone3 == 435 &&
                   FORK_COPIED == 1 && FORK_NEW_STACK == 4,
               "as written there");
