/* A look at what the program is about to read.
 *
 * A pointer is mostly read to go where it points. A check that has to wait for its line of the shadow keeps
 * the processor from seeing that far: the next element of a list is asked for when the check of the last one
 * is done. So whoever checks the read of a pointer asks for what it points to, first of all.
 *
 * The memory may not be there: it was unmapped, or protected. The program's own read will fault then, and
 * that is the program's business, at an instruction of its own. The look's fault is nobody's: the handler of
 * signals knows the instruction by the one behind it, which does nothing, and goes on there.
 */
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

/* The 8 bytes may be a pointer of the program's. `word`: what the shadow says of them. Not asked where nobody has been
 * yet. */
hot_inline void peek_ahead(uintptr_t address, uint64_t word)
{
    enum { PROGRAM_BITS = 46 }; /* programs, heaps, mappings are between 1 and 2 times 2^46 */
    uintptr_t next = likely(word != 0) ? peek(address) : 0;
    if (next >> PROGRAM_BITS != 1)
        return;
    __builtin_prefetch((const void *)next);
    __builtin_prefetch(shadow_of(next));
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
