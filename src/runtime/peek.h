/* A look at memory of the program that may not be there: it was unmapped, or protected. The look's fault is nobody's: the
 * handler of signals knows the instruction by the one behind it, which does nothing, and goes on there. */
#pragma once

#include <ucontext.h>

#include "base/atomic.h"
#include "runtime/intercept/own_code.h"

#define PEEK_INSTRUCTION 0x48, 0x8b, 0x07                         /* movq (%rdi), %rax */
#define PEEK_MARK        0x0f, 0x1f, 0x80, 0x50, 0x45, 0x45, 0x4b /* nopl 0x4b454550(%rax) */
#define PEEK_TEXT(...)   #__VA_ARGS__
#define PEEK_BYTES(...)  ".byte " PEEK_TEXT(__VA_ARGS__) "\n\t"

/* What is there; 0 if nothing is. */
hot_inline uintptr_t peek(uintptr_t address)
{
    uintptr_t value;
    __asm__ volatile(PEEK_BYTES(PEEK_INSTRUCTION) PEEK_BYTES(PEEK_MARK) : "=a"(value) : "D"(address));
    return value;
}

/* The thread has faulted. True: at a look, and it goes on behind that. */
static inline bool peek_failed(ucontext_t *context)
{
    static const unsigned char look[] = {PEEK_INSTRUCTION, PEEK_MARK}, instruction[] = {PEEK_INSTRUCTION};
    greg_t *registers = context->uc_mcontext.gregs;
    uintptr_t pc = (uintptr_t)registers[REG_RIP];
    if (!is_own_code(pc) || __builtin_memcmp((const void *)pc, look, sizeof look) != 0)
        return false;
    registers[REG_RIP] += (greg_t)sizeof instruction;
    registers[REG_RAX] = 0;
    return true;
}
