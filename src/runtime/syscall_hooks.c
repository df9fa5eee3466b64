/* <sanitizer/linux_syscall_hooks.h>: what a program calls around a system call that it makes by hand. Such
 * programs link and run; what the call does to memory is not looked at. */

void __sanitizer_syscall_unhooked(void);
void __sanitizer_syscall_unhooked(void)
{
}

#define ALIAS(name) __asm__(".globl " name "\n.set " name ", __sanitizer_syscall_unhooked\n");
#define HOOK(call)  ALIAS("__sanitizer_syscall_pre_impl_" #call) ALIAS("__sanitizer_syscall_post_impl_" #call)
#include "runtime/syscall_hooks.def"
