/* Checks of loops that name the same bytes, or neighbouring ones, at one place. */
#include "place/ranges.h"

#include "place/fields.h"

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
    return a.before == b.before && a.size == b.size && a.stride == b.stride && a.count == b.count &&
           a.guards == b.guards;
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

/* Parts of words, with gaps between them. */
bool is_part(const Check &range)
{
    auto *stride = dyn_cast<SCEVConstant>(range.stride);
    return range.size < 4 && !range.count->isOne() && (stride == nullptr || stride->getAPInt() != range.size);
}

/* Of checks at one place, by their numbers. */
struct Uniter {
    ScalarEvolution &se;
    Checks &checks;
    SmallVector<unsigned, 16> here;

    void drop_covered();
    void extend();
    bool extend(Check &a, Check &b);
    void tile();
    void tile(SmallVectorImpl<std::pair<int64_t, unsigned>> &by_offset, uint64_t stride);
};

void Uniter::drop_covered()
{
    for (unsigned i : here)
        for (unsigned j : here) {
            Check &a = checks[i], &b = checks[j];
            int64_t bytes;
            if (i != j && a.needed && b.needed && a.write >= b.write && same_shape(a, b) &&
                distance(se, a, b, bytes) && bytes == 0)
                b.needed = false;
        }
}

/* [coalesce]: b, which has as many elements as a had at first, begins one element after a, or after what a
 * was extended by. Not those that may be put back, each for itself, nor those that may have no element: one
 * more than none would be too many. */
bool Uniter::extend(Check &a, Check &b)
{
    auto *stride = dyn_cast<SCEVConstant>(a.stride);
    int64_t bytes;
    if (a.after || a.ring || is_part(a) || a.is_group() || b.is_group() || a.write != b.write || a.size != b.size ||
        a.guards != b.guards || stride == nullptr || a.stride != b.stride || !distance(se, a, b, bytes) ||
        !same_line(a, b))
        return false;
    auto *more = dyn_cast<SCEVConstant>(se.getMinusSCEV(a.count, b.count));
    if (more == nullptr || more->getAPInt().isNegative() ||
        stride->getAPInt() * (more->getAPInt() + 1) != uint64_t(bytes))
        return false;
    a.count = se.getAddExpr(a.count, se.getOne(a.count->getType()));
    b.needed = false;
    return true;
}

void Uniter::extend()
{
    for (bool again = true; again;) {
        again = false;
        for (unsigned i : here)
            for (unsigned j : here)
                again |= i != j && checks[i].needed && checks[j].needed && extend(checks[i], checks[j]);
    }
}

/* [coalesce]: elements of several checks that lie side by side, and are accessed in turns, are one element.
 */
void Uniter::tile(SmallVectorImpl<std::pair<int64_t, unsigned>> &by_offset, uint64_t stride)
{
    llvm::sort(by_offset);
    for (size_t from = 0, to; from < by_offset.size(); from = to) {
        uint64_t size = 0;
        SmallVector<unsigned, 8> fields;
        for (to = from;
             to < by_offset.size() && by_offset[to].first == by_offset[from].first + int64_t(size) &&
             size + checks[by_offset[to].second].size <= stride;
             to++) {
            size += checks[by_offset[to].second].size;
            fields.push_back(by_offset[to].second);
        }
        to = std::max(to, from + 1);
        if (fields.size() > 1 && size % 4 == 0)
            make_group(checks, fields);
    }
}

void Uniter::tile()
{
    SmallVector<unsigned, 16> left(here);
    while (!left.empty()) {
        unsigned first = left.front();
        const Check a = checks[first];
        auto *stride = dyn_cast<SCEVConstant>(a.stride);
        SmallVector<std::pair<int64_t, unsigned>, 8> alike;
        erase_if(left, [&](unsigned i) {
            const Check &b = checks[i];
            int64_t bytes = 0;
            bool same = i == first || (b.write == a.write && b.stride == a.stride && b.count == a.count &&
                                       b.guards == a.guards && distance(se, a, b, bytes));
            if (same && b.needed && !b.is_group())
                alike.push_back({bytes, i});
            return same;
        });
        if (stride != nullptr && !stride->getAPInt().isNegative() && alike.size() > 1)
            tile(alike, stride->getAPInt().getZExtValue());
    }
}

/* Parts of words with gaps between them are checked one by one, where they are. */
void put_back_parts(Checks &checks)
{
    for (Check &check : checks)
        if (check.needed && check.is_range() && is_part(check)) {
            check.first = check.stride = check.count = nullptr;
            check.before = check.access;
            check.guards.clear();
            check.rule = nullptr;
            check.stays = "it is a part of a word, and there are gaps between those of the iterations";
        }
}

} // namespace

void unite_ranges(Context &context, Checks &checks)
{
    enum { MOST_AT_ONE_PLACE = 64 };
    MapVector<Instruction *, SmallVector<unsigned, 16>> at;
    for (unsigned i = 0; i < checks.size(); i++)
        if (checks[i].needed && checks[i].is_range())
            at[checks[i].before].push_back(i);
    for (auto &[place, here] : at) {
        if (here.size() < 2 || here.size() > MOST_AT_ONE_PLACE)
            continue;
        Uniter uniter = {context.evolution, checks, here};
        uniter.drop_covered();
        uniter.extend();
        uniter.tile();
    }
    put_back_parts(checks);
}

} // namespace place
