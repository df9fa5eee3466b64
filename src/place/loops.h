/* One check for all accesses that an instruction makes in a loop. */
#pragma once

#include "place/access.h"

namespace place
{

/* What is the same for all checks of a loop. */
struct LoopShape {
    llvm::Loop *loop;
    llvm::BasicBlock *preheader;
    bool quiet; /* nothing in it synchronizes, and all that is begun is finished, but for the loop itself */
    const llvm::SCEV *more; /* iterations after the first; NULL: not known before the loop */
    llvm::SmallVector<llvm::BasicBlock *, 4> exiting;
    const char *loud = nullptr; /* why it is not quiet */
    const llvm::Instruction *obstacle = nullptr;
};

LoopShape shape_of(Context &context, llvm::Loop *loop);

/* Moves checks of loops to before the loops, from the inside outwards, where that names just the bytes that
 * will be accessed for certain: [loop invariant], [loop range], [loop nest]. A check
 * that stays in a loop says why. */
void move_out_of_loops(Context &context, Checks &checks);

} // namespace place
