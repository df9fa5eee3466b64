/* Checks of loops that name the same bytes, or neighbouring ones, at one place. */
#include "place/ranges.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/DebugInfoMetadata.h>

using namespace llvm;

namespace place
{
namespace
{

/* Do they have one line of the source? Then a report may name either. */
bool same_line(const Check &a, const Check &b)
{
    const DILocation *x = a.access->getDebugLoc(), *y = b.access->getDebugLoc();
    if (x == nullptr || y == nullptr)
        return x == y;
    return x->getLine() == y->getLine() && x->getScope() == y->getScope() &&
           x->getInlinedAt() == y->getInlinedAt();
}

bool same_shape(const Check &a, const Check &b)
{
    return a.before == b.before && a.size == b.size && a.stride == b.stride && a.count == b.count;
}

/* How far b begins after a; false: not known. */
bool distance(ScalarEvolution &se, const Check &a, const Check &b, int64_t &bytes)
{
    auto *difference = dyn_cast<SCEVConstant>(se.getMinusSCEV(b.first, a.first));
    if (difference == nullptr || difference->getAPInt().getSignificantBits() > 64)
        return false;
    bytes = difference->getAPInt().getSExtValue();
    return true;
}

/* [coalesce]: b, which has as many elements as a had at first, begins one element later. */
bool extends(ScalarEvolution &se, const Check &a, const Check &b, int64_t bytes)
{
    return !a.is_group() && !b.is_group() && a.write == b.write &&
           a.stride == se.getConstant(a.stride->getType(), uint64_t(bytes)) && same_line(a, b);
}

void unite(Context &context, SmallVectorImpl<Check *> &group)
{
    ScalarEvolution &se = context.evolution;
    for (Check *a : group)
        for (Check *b : group) {
            int64_t bytes;
            if (a == b || !a->needed || !b->needed || !same_shape(*a, *b) || !distance(se, *a, *b, bytes))
                continue;
            if (bytes == 0 && a->write >= b->write)
                b->needed = false;
        }
    for (bool again = true; again;) {
        again = false;
        for (Check *a : group)
            for (Check *b : group) {
                int64_t bytes;
                if (a == b || !a->needed || !b->needed || a->before != b->before || a->size != b->size ||
                    a->stride != b->stride || !distance(se, *a, *b, bytes))
                    continue;
                /* a has been extended by so many elements */
                auto *more = dyn_cast<SCEVConstant>(se.getMinusSCEV(a->count, b->count));
                auto *stride = dyn_cast<SCEVConstant>(a->stride);
                if (more == nullptr || stride == nullptr || more->getAPInt().isNegative() ||
                    !extends(
                        se, *a, *b,
                        bytes - int64_t(more->getAPInt().getZExtValue() * stride->getAPInt().getZExtValue())))
                    continue;
                a->count = se.getAddExpr(a->count, se.getOne(a->count->getType()));
                b->needed = false;
                again = true;
            }
    }
}

} // namespace

void unite_ranges(Context &context, Checks &checks)
{
    MapVector<Instruction *, SmallVector<Check *, 8>> at;
    for (Check &check : checks)
        if (check.needed && check.is_range())
            at[check.before].push_back(&check);
    for (auto &[place, group] : at)
        if (group.size() > 1 && group.size() <= 64)
            unite(context, group);
}

} // namespace place
