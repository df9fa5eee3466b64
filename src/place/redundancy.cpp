/* Two data flow analyses over facts "these bytes are checked": forwards, and backwards. A fact is a location
 * as it is named in the function, by a value and an offset: it ends where the value gets a new meaning, which
 * is its definition.
 */
#include "place/redundancy.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/IR/CFG.h>

using namespace llvm;

namespace place
{
namespace
{

/* Larger functions are analysed block by block: sets of facts for each block would be too large. And each check
 * has a set of those it covers. */
enum { MOST_BITS = 1 << 28, MOST_CHECKS = 1 << 13 };

bool covers(const Check &by, const Check &of)
{
    return by.at.base == of.at.base && by.at.offset <= of.at.offset &&
           by.at.offset + by.size >= of.at.offset + of.size && by.write >= of.write;
}

/* Only single accesses take part; the pointer to virtual functions is a matter of values, too. */
bool takes_part(const Check &check)
{
    return check.needed && !check.is_range() && !check.vtable;
}

/* What happens to facts, in the order of a block. */
struct Event {
    enum { CHECKS, DEFINES, RELEASES, ENDS } kind; /* ENDS: nothing before can count on what comes after */
    unsigned number;                               /* of the check; of the base */
};

struct Facts {
    Context &context;
    Checks &checks;
    SmallVector<unsigned, 32> taking_part;
    DenseMap<const Value *, BitVector> of_base; /* which facts are about it */
    SmallVector<BitVector, 0> covered;          /* by the check's number: facts that hold after it */
    DenseMap<const BasicBlock *, SmallVector<Event, 8>> events;
    SmallVector<const Value *, 32> bases;

    Facts(Context &ctx, Checks &all, bool backwards);
    void find_events(BasicBlock &block,
                     const DenseMap<const Instruction *, SmallVector<unsigned, 1>> &check_at,
                     const DenseMap<const Value *, unsigned> &number_of_base, bool backwards);
    void apply(const Event &event, BitVector &facts) const;
};

Facts::Facts(Context &ctx, Checks &all, bool backwards) : context(ctx), checks(all), covered(all.size())
{
    DenseMap<const Instruction *, SmallVector<unsigned, 1>> check_at;
    DenseMap<const Value *, SmallVector<unsigned, 4>> checks_of;
    DenseMap<const Value *, unsigned> number_of_base;
    for (unsigned i = 0; i < all.size(); i++)
        if (takes_part(all[i])) {
            taking_part.push_back(i);
            check_at[all[i].before].push_back(i);
            checks_of[all[i].at.base].push_back(i);
        }
    for (auto &[base, numbers] : checks_of) {
        number_of_base[base] = bases.size();
        bases.push_back(base);
        BitVector &about = of_base[base];
        about.resize(all.size());
        for (unsigned i : numbers) {
            about.set(i);
            covered[i].resize(all.size());
            for (unsigned other : numbers)
                if (covers(all[i], all[other]))
                    covered[i].set(other);
        }
    }
    for (BasicBlock &block : context.function)
        find_events(block, check_at, number_of_base, backwards);
}

void Facts::find_events(BasicBlock &block,
                        const DenseMap<const Instruction *, SmallVector<unsigned, 1>> &check_at,
                        const DenseMap<const Value *, unsigned> &number_of_base, bool backwards)
{
    SmallVector<Event, 8> &found = events[&block];
    for (Instruction &i : block) {
        if (auto here = check_at.find(&i); here != check_at.end())
            for (unsigned number : here->second)
                found.push_back({Event::CHECKS, number});
        if (backwards ? !goes_on(i) && !i.isTerminator() : releases(i))
            found.push_back({backwards ? Event::ENDS : Event::RELEASES, 0});
        else if (backwards && i.isTerminator() && isa<CallBase>(i))
            found.push_back({Event::ENDS, 0});
        if (auto base = number_of_base.find(&i); base != number_of_base.end())
            found.push_back({Event::DEFINES, base->second});
    }
}

void Facts::apply(const Event &event, BitVector &facts) const
{
    if (event.kind == Event::CHECKS)
        facts |= covered[event.number];
    else if (event.kind == Event::DEFINES)
        facts.reset(of_base.find(bases[event.number])->second);
    else
        facts.reset();
}

/* Whether the checks of a block are covered, given what holds where one comes in; returns how many were
 * dropped. */
template <typename Events> void drop_covered(Facts &facts, const Events &events, BitVector holds)
{
    for (const Event &event : events) {
        if (event.kind == Event::CHECKS && holds.test(event.number)) {
            facts.checks[event.number].needed = false;
            continue; /* it adds nothing */
        }
        facts.apply(event, holds);
    }
}

bool is_too_large(const Facts &facts)
{
    return uint64_t(facts.checks.size()) * facts.context.function.size() > MOST_BITS;
}

} // namespace

void drop_checked_before(Context &context, Checks &checks)
{
    if (checks.size() > MOST_CHECKS)
        return;
    Facts facts(context, checks, /*backwards=*/false);
    if (facts.taking_part.size() < 2)
        return;
    DenseMap<const BasicBlock *, BitVector> out;
    BitVector all(checks.size(), true), none(checks.size());
    ReversePostOrderTraversal<Function *> order(&context.function);
    auto comes_in = [&](const BasicBlock *block) {
        if (block->isEntryBlock() || is_too_large(facts))
            return none;
        BitVector in = all;
        for (const BasicBlock *from : predecessors(block))
            if (auto found = out.find(from); found != out.end())
                in &= found->second;
        return in;
    };
    for (bool again = !is_too_large(facts); again;) {
        again = false;
        for (BasicBlock *block : order) {
            BitVector holds = comes_in(block);
            for (const Event &event : facts.events[block])
                facts.apply(event, holds);
            auto [entry, is_new] = out.try_emplace(block, holds);
            again |= is_new || entry->second != holds;
            entry->second = std::move(holds);
        }
    }
    for (BasicBlock *block : order)
        drop_covered(facts, facts.events[block], comes_in(block));
}

namespace
{

/* A loop that may go on for ever: what comes after it is not certain. Within one iteration it is. */
bool may_never_end(Context &context, const BasicBlock *from, const BasicBlock *to)
{
    Loop *loop = context.loops.getLoopFor(to);
    return loop != nullptr && loop->getHeader() == to && loop->contains(from) &&
           !context.evolution.hasLoopInvariantBackedgeTakenCount(loop);
}

} // namespace

void drop_checked_later(Context &context, Checks &checks)
{
    if (checks.size() > MOST_CHECKS)
        return;
    Facts facts(context, checks, /*backwards=*/true);
    if (facts.taking_part.size() < 2)
        return;
    ReversePostOrderTraversal<Function *> order(&context.function);
    bool block_wise = is_too_large(facts) || containsIrreducibleCFG<BasicBlock *>(order, context.loops);
    DenseMap<const BasicBlock *, BitVector> in;
    BitVector all(checks.size(), true), none(checks.size());
    SmallVector<BasicBlock *, 32> backwards(order.begin(), order.end());
    std::reverse(backwards.begin(), backwards.end());
    auto goes_out = [&](const BasicBlock *block) {
        if (succ_empty(block) || block_wise)
            return none;
        BitVector holds = all;
        for (const BasicBlock *to : successors(block)) {
            if (may_never_end(context, block, to))
                return none;
            if (auto found = in.find(to); found != in.end())
                holds &= found->second;
        }
        return holds;
    };
    for (bool again = !block_wise; again;) {
        again = false;
        for (BasicBlock *block : backwards) {
            BitVector holds = goes_out(block);
            for (const Event &event : reverse(facts.events[block]))
                facts.apply(event, holds);
            auto [entry, is_new] = in.try_emplace(block, holds);
            again |= is_new || entry->second != holds;
            entry->second = std::move(holds);
        }
    }
    for (BasicBlock *block : backwards)
        drop_covered(facts, reverse(facts.events[block]), goes_out(block));
}

} // namespace place
