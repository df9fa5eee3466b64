/* Accesses to memory, and the checks that are placed for them (docs/placement.md).
 *
 * A check stands for one access, or for all accesses that an instruction of a loop makes. It lies before an
 * instruction and names the bytes: an address, or the first of several elements with a constant distance.
 */
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace place
{

/* The shadow knows memory by words of so many bytes. */
enum { WORD = 4 };

/* base + offset, with constant offsets taken off the pointer. */
struct Location {
    llvm::Value *base;
    int64_t offset;
};

/* A question that the program asks in each iteration of loops, and that has the same answer in all of them.
 */
struct Guard {
    llvm::Value *question;
    bool answer;

    bool operator==(const Guard &other) const
    {
        return question == other.question && answer == other.answer;
    }
};

struct Check {
    llvm::Instruction *access; /* that it stands for: its place in the source, and how it is aligned */
    llvm::Instruction *before; /* where it is made */
    llvm::Value *address;
    Location at;
    uint32_t size; /* of one access */
    bool write;
    bool vtable; /* C++: the pointer to virtual functions */
    bool needed = true;
    bool tested = false; /* in place: whether there is anything to do (tests.h) */

    /* Neighbouring fields that are accessed together: the numbers of their own checks, which are not needed
     * then. */
    llvm::SmallVector<unsigned, 0> fields = {};
    bool row = false;  /* by one test in place (objects.h) */
    bool pair = false; /* likewise; two, of which one may be a read and the other a write */

    /* All accesses of loops: `count` elements from `first` on, `stride` bytes apart. NULL: the access alone.
     */
    const llvm::SCEV *first = nullptr, *stride = nullptr, *count = nullptr;

    bool after = false;    /* the loop, whose number of iterations is known only then: it may be none */
    bool ring = false;     /* one of two ranges, where an index begins anew: it may have no element */
    bool repeated = false; /* what another check is where the loop is left, at another exit */

    /* It was moved to before these questions, innermost first, and is made only if they have these answers.
     */
    llvm::SmallVector<Guard, 0> guards = {};

    /* For --pf-remarks (remarks.h): the rule that moved or dropped it; what kept it in a loop, and where. */
    const char *rule = nullptr, *dropped_by = nullptr, *stays = nullptr;
    const llvm::Instruction *obstacle = nullptr;

    bool is_range() const
    {
        return first != nullptr;
    }
    bool is_group() const
    {
        return !fields.empty();
    }
};

using Checks = llvm::SmallVector<Check, 32>;

struct Context {
    llvm::Function &function;
    llvm::DominatorTree &dominators;
    llvm::LoopInfo &loops;
    llvm::ScalarEvolution &evolution;
    llvm::BlockFrequencyInfo &frequencies;
    const llvm::DataLayout &layout;
};

/* A check for each access that another thread could see, before the access. */
Checks accesses_of(Context &context);

/* What may order threads (001 §3.2). An instruction of which nothing is known may do both. */
bool acquires(const llvm::Instruction &instruction);
bool releases(const llvm::Instruction &instruction);

/* Does whatever comes next happen for certain, before anything that may synchronize? */
bool goes_on(const llvm::Instruction &instruction);

} // namespace place
