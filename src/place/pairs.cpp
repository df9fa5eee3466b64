/* An element of a list is mostly new to the epoch as a whole: its value, its link to the next. Two accesses of 8 bytes
 * near each other, in one block with nothing between them that may synchronize or not come to an end, have one
 * test, where the first of them is, and one call of the runtime (runtime/pair.c). One may be a read and the
 * other a write.
 *
 * Not where the object is the next step of a loop: then single accesses wait, and are checked some dozens at a
 * time (runtime/pieces.h).
 */
#include "place/pairs.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>

using namespace llvm;

namespace place
{
namespace
{

enum { SIZE = 8, FARTHEST = 64 };

bool may_be_one(const Check &check)
{
    return check.needed && check.tested && !check.vtable && !check.is_range() && !check.is_group() &&
           check.size == SIZE && getLoadStoreAlignment(check.access).value() >= SIZE;
}

bool is_step_of_loop(Context &context, Value *base, BasicBlock *block)
{
    Loop *loop = context.loops.getLoopFor(block);
    if (loop == nullptr || !context.evolution.isSCEVable(base->getType()))
        return false;
    auto *steps = dyn_cast<SCEVAddRecExpr>(context.evolution.getSCEV(base));
    return steps != nullptr && steps->getLoop() == loop;
}

void make_pair(Checks &checks, unsigned one, unsigned other)
{
    Check pair = checks[one];
    if (checks[other].before->comesBefore(pair.before))
        pair.before = checks[other].before;
    pair.fields = {one, other};
    pair.pair = true;
    checks[one].needed = checks[other].needed = false;
    checks.push_back(pair);
}

/* Neighbours, by their offsets. */
void find_pairs(Checks &checks, SmallVectorImpl<unsigned> &here)
{
    llvm::stable_sort(here,
                      [&](unsigned a, unsigned b) { return checks[a].at.offset < checks[b].at.offset; });
    for (size_t i = 0; i + 1 < here.size(); i++) {
        int64_t distance = checks[here[i + 1]].at.offset - checks[here[i]].at.offset;
        if (distance < SIZE || distance > FARTHEST)
            continue;
        make_pair(checks, here[i], here[i + 1]);
        i++;
    }
}

} // namespace

void make_pairs(Context &context, Checks &checks)
{
    DenseMap<const Instruction *, SmallVector<unsigned, 1>> check_at;
    for (unsigned i = 0; i < checks.size(); i++)
        if (may_be_one(checks[i]))
            check_at[checks[i].before].push_back(i);
    for (BasicBlock &block : context.function) {
        MapVector<Value *, SmallVector<unsigned, 8>> together; /* by the object */
        auto close = [&] {
            for (auto &[base, here] : together)
                if (here.size() > 1 && !is_step_of_loop(context, base, &block))
                    find_pairs(checks, here);
            together.clear();
        };
        for (Instruction &i : block) {
            if (auto here = check_at.find(&i); here != check_at.end())
                for (unsigned number : here->second)
                    together[checks[number].at.base].push_back(number);
            if (!goes_on(i))
                close();
        }
        close();
    }
}

} // namespace place
