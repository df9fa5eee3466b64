# What the assembler makes of gcc's calls of __tsan_readN and __tsan_writeN: the test that answers most of them
# (runtime/abi_access.c), in the program's own code, and a call for the others. pfcc hands this to the assembler, before
# whatever gcc has compiled.
#
# `call` is a macro here, and `{load} call` the instruction, in every syntax and mode: the prefix says nothing about it,
# and what follows one is no macro. Where gcc calls a function, the registers that the test uses are
# free, and the address is in rdi, which stays there. The words of its shadow begin at base + (2 * address mod 2^45);
# each has the epochs of the last write and, 4 bytes on, of the last read. Since gcc is told -fno-plt, its calls look
# like those below; others stay as they are.

.ifndef .Lpf_in_place # with -flto the assembler gets this twice
.set .Lpf_in_place, 1

# rax: the words of the shadow; edx: the thread's epoch.
.macro pf_look size, call
 .if \size > 1
    testb $(\size - 1) & 3, %dil # an address that is not aligned has other words
    jne \call
 .endif
    movq %rdi, %rax
    movq __pf_shadow@GOTPCREL(%rip), %rcx
    shlq $20, %rax
    movq __pf_epoch@gottpoff(%rip), %rdx
    shrq $19, %rax
 .if \size < 4
    andq $-8, %rax
 .endif
    addq (%rcx), %rax
    movl %fs:(%rdx), %edx
.endm

# A read: were all words read in this epoch? Either: were all written?
.macro pf_check kind, size
    pf_look \size, .Lpf_call\@
 .ifc \kind,read
    cmpl %edx, 4(%rax)
  .if \size == 8
    jne .Lpf_written\@
    cmpl %edx, 12(%rax)
  .endif
    je .Lpf_done\@
 .endif
.Lpf_written\@:
    cmpl %edx, (%rax)
 .if \size == 8
    jne .Lpf_call\@
    cmpl %edx, 8(%rax)
 .endif
    je .Lpf_done\@
.Lpf_call\@:
    {load} call *__pf_\kind\()\size@GOTPCREL(%rip)
.Lpf_done\@:
.endm

.macro call target:vararg
 .set .Lpf_is_check, 0
 .irp size, 1, 2, 4, 8
  .ifc \target,*__tsan_read\size@GOTPCREL(%rip)
    pf_check read, \size
    .set .Lpf_is_check, 1
  .endif
  .ifc \target,*__tsan_write\size@GOTPCREL(%rip)
    pf_check write, \size
    .set .Lpf_is_check, 1
  .endif
 .endr
 .if .Lpf_is_check == 0
    {load} call \target
 .endif
.endm

.endif
