/* A check before a loop covers the accesses in it if nothing in the loop may release, and is legitimate if
 * the accesses come for certain and nothing before them may acquire (001 §3.2). The addresses are those that
 * scalar evolution has for them: first, distance, number. They are exact or not used.
 */
#include "place/loops.h"

#include "place/fields.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

using namespace llvm;

namespace place
{
namespace
{

bool is_quiet(Context &context, LoopShape &shape)
{
    for (BasicBlock *block : shape.loop->blocks())
        for (Instruction &i : *block)
            if (!i.isTerminator() ? !goes_on(i) : isa<CallBase>(i)) {
                shape.loud = "something in the loop may synchronize, or not come back";
                shape.obstacle = &i;
                return false;
            }
    for (Loop *inner : shape.loop->getLoopsInPreorder())
        if (inner != shape.loop && !context.evolution.hasLoopInvariantBackedgeTakenCount(inner)) {
            shape.loud = "a loop in it may go on for ever";
            shape.obstacle = inner->getHeader()->getTerminator();
            return false;
        }
    return true;
}

} // namespace

LoopShape shape_of(Context &context, Loop *loop)
{
    LoopShape shape = {loop, loop->getLoopPreheader(), false, nullptr, {}};
    shape.loud = "the loop has no place before it or no single way back";
    if (shape.preheader == nullptr || loop->getLoopLatch() == nullptr || !is_quiet(context, shape))
        return shape;
    shape.quiet = true;
    loop->getExitingBlocks(shape.exiting);
    const SCEV *more = context.evolution.getBackedgeTakenCount(loop);
    if (!isa<SCEVCouldNotCompute>(more))
        shape.more = more;
    return shape;
}

namespace
{

/* Once in every iteration, also in the last one. */
bool is_always(Context &context, const LoopShape &shape, const BasicBlock *block)
{
    if (!context.dominators.dominates(block, shape.loop->getLoopLatch()))
        return false;
    return all_of(shape.exiting, [&](BasicBlock *exit) { return context.dominators.dominates(block, exit); });
}

/* Once in every iteration if the answers to some questions are such, which are the same in all iterations;
 * otherwise in none. */
bool is_always_or_never(Context &context, const LoopShape &shape, const BasicBlock *block,
                        SmallVectorImpl<Guard> &guards)
{
    while (!is_always(context, shape, block)) {
        const BasicBlock *from = block->getSinglePredecessor();
        if (from == nullptr || context.loops.getLoopFor(from) != shape.loop)
            return false;
        auto *branch = dyn_cast<BranchInst>(from->getTerminator());
        if (branch == nullptr)
            return false;
        if (branch->isConditional()) {
            if (!shape.loop->isLoopInvariant(branch->getCondition()))
                return false;
            guards.push_back({branch->getCondition(), branch->getSuccessor(0) == block});
        }
        block = from;
    }
    return all_of(guards, [&](const Guard &g) { return shape.loop->isLoopInvariant(g.question); });
}

/* Quotients and remainders are not computed once more, where the divisor could be 0, but taken from where the
 * program has them. */
using Quotients = DenseMap<const SCEV *, SmallVector<Instruction *, 1>>;

Quotients quotients_of(Context &context)
{
    Quotients quotients;
    for (BasicBlock &block : context.function)
        for (Instruction &i : block)
            if (i.getOpcode() == Instruction::UDiv || i.getOpcode() == Instruction::URem)
                quotients[context.evolution.getSCEV(&i)].push_back(&i);
    return quotients;
}

struct TakeQuotients : SCEVRewriteVisitor<TakeQuotients> {
    const DominatorTree &dominators;
    const Quotients &quotients;
    const Instruction *place;

    TakeQuotients(Context &context, const Quotients &known, const Instruction *where)
        : SCEVRewriteVisitor(context.evolution), dominators(context.dominators), quotients(known),
          place(where)
    {
    }
    const SCEV *visit(const SCEV *s)
    {
        if (auto known = quotients.find(s); known != quotients.end())
            for (Instruction *i : known->second)
                if (dominators.dominates(i, place))
                    return SE.getUnknown(i);
        return SCEVRewriteVisitor::visit(s);
    }
};

struct Mover {
    Context &context;
    LoopShape &shape;
    const Quotients &quotients;
    ScalarEvolution &se = context.evolution;
    SCEVExpander expander{context.evolution, context.layout, "pf"};
    Type *word = Type::getInt64Ty(context.function.getContext());
    Checks more = {}; /* that are made besides those that were moved */

    Instruction *place() const
    {
        return shape.preheader->getTerminator();
    }
    bool is_invariant(const SCEV *s) const
    {
        return se.isLoopInvariant(s, shape.loop);
    }
    /* Can its value be had before the loop? Then it is in a form that can be. */
    bool can_say(const SCEV *&s)
    {
        if (!is_invariant(s))
            return false;
        if (!expander.isSafeToExpandAt(s, place()))
            s = TakeQuotients(context, quotients, place()).visit(s);
        return expander.isSafeToExpandAt(s, place());
    }
    const SCEV *iterations()
    {
        return se.getAddExpr(se.getNoopOrZeroExtend(shape.more, word), se.getOne(word));
    }
    bool known_iterations()
    {
        return shape.more != nullptr && se.getTypeSizeInBits(shape.more->getType()) <= 64 &&
               can_say(shape.more);
    }
    const SCEV *bytes(uint64_t size)
    {
        return se.getConstant(word, size);
    }
    const SCEV *address_of(const Check &check)
    {
        if (!check.is_group())
            return se.getSCEV(check.address);
        return se.getAddExpr(se.getSCEV(check.at.base),
                             se.getConstant(word, uint64_t(check.at.offset), true));
    }
    /* These return why a check cannot be moved, and NULL when it was. */
    const char *move_single(Check &check);
    const char *move_ring(Check &check, const SCEV *address);
    const char *move_range(Check &check);
    const char *move(Check &check)
    {
        return check.is_range() ? move_range(check) : move_single(check);
    }
};

/* base + size * index, where the index counts by 1 in so few bits that it may begin anew: a ring. */
struct Ring {
    const SCEV *base, *from; /* from: the first index, in 64 bits */
    uint64_t size, elements;
};

bool is_ring(ScalarEvolution &se, const Loop *loop, const SCEV *address, Ring &ring)
{
    auto *sum = dyn_cast<SCEVAddExpr>(address);
    if (sum == nullptr)
        return false;
    SmallVector<const SCEV *, 4> rest;
    const SCEVZeroExtendExpr *index = nullptr;
    for (const SCEV *part : sum->operands()) {
        uint64_t size = 1;
        if (auto *product = dyn_cast<SCEVMulExpr>(part); product != nullptr && product->getNumOperands() == 2)
            if (auto *factor = dyn_cast<SCEVConstant>(product->getOperand(0));
                factor != nullptr && factor->getAPInt().getActiveBits() <= 32) {
                size = factor->getAPInt().getZExtValue();
                part = product->getOperand(1);
            }
        if (se.isLoopInvariant(part, loop)) {
            rest.push_back(size == 1 ? part : se.getMulExpr(se.getConstant(part->getType(), size), part));
        } else if (index == nullptr && isa<SCEVZeroExtendExpr>(part)) {
            index = cast<SCEVZeroExtendExpr>(part);
            ring.size = size;
        } else {
            return false;
        }
    }
    auto *steps = index != nullptr ? dyn_cast<SCEVAddRecExpr>(index->getOperand()) : nullptr;
    if (steps == nullptr || rest.empty() || steps->getLoop() != loop || !steps->isAffine() ||
        !steps->getStepRecurrence(se)->isOne() || se.getTypeSizeInBits(index->getType()) != 64 ||
        se.getTypeSizeInBits(steps->getType()) > 32)
        return false;
    ring.base = se.getAddExpr(rest);
    ring.from = se.getZeroExtendExpr(steps->getStart(), index->getType());
    ring.elements = uint64_t(1) << se.getTypeSizeInBits(steps->getType());
    return ring.base->getType()->isPointerTy();
}

const char not_said[] = "its address cannot be computed before the loop";
const char not_counted[] = "the number of iterations is not known before the loop";
const char not_regular[] = "its address does not change by the same distance each time";

const char *Mover::move_single(Check &check)
{
    if (check.vtable && check.write)
        return "the pointer that is written is part of the check";
    const SCEV *address = address_of(check);
    if (is_invariant(address)) {
        if (check.is_group())
            return "each of its fields is the same in all iterations";
        if (auto *i = dyn_cast<Instruction>(check.address); i != nullptr && shape.loop->contains(i)) {
            if (!can_say(address))
                return not_said;
            check.first = address;
            check.stride = bytes(check.size);
            check.count = se.getOne(word);
        }
        check.before = place();
        check.rule = "loop invariant";
        return nullptr;
    }
    auto *steps = dyn_cast<SCEVAddRecExpr>(address);
    if (steps == nullptr && !check.vtable && !check.is_group())
        return move_ring(check, address);
    if (steps == nullptr || steps->getLoop() != shape.loop || !steps->isAffine() || check.vtable)
        return not_regular;
    if (!known_iterations())
        return not_counted;
    const SCEV *step = steps->getStepRecurrence(se), *first = steps->getStart();
    if (se.getTypeSizeInBits(step->getType()) != 64 || !can_say(first) || !can_say(step))
        return not_said;
    auto *constant = dyn_cast<SCEVConstant>(step);
    if (constant != nullptr) {
        if (constant->getAPInt().abs().ult(check.size))
            return "the iterations overlap";
        if (constant->getAPInt().isNegative()) { /* from its other end */
            first = se.getAddExpr(first, se.getMulExpr(step, se.getNoopOrZeroExtend(shape.more, word)));
            step = se.getNegativeSCEV(step);
        }
    }
    check.first = first;
    check.stride = step;
    check.count = iterations();
    check.before = place();
    check.rule = "loop range";
    return nullptr;
}

/* Up to the end of the ring, and from its beginning on: two ranges, of which the second may have no element. Where
 * the loop goes around more than once, some are in both. Not if they are far apart: rows, of which one element each
 * would be checked before the rows themselves are. */
const char *Mover::move_ring(Check &check, const SCEV *address)
{
    enum { FARTHEST = 64 };
    Ring ring;
    if (!is_ring(se, shape.loop, address, ring) || ring.size < check.size)
        return not_regular;
    if (ring.size > FARTHEST)
        return "the elements of its ring are far apart";
    if (!known_iterations())
        return not_counted;
    const SCEV *all = bytes(ring.elements), *size = bytes(ring.size);
    const SCEV *to_end = se.getUMinExpr(iterations(), se.getMinusSCEV(all, ring.from));
    const SCEV *others = se.getUMinExpr(se.getMinusSCEV(iterations(), to_end), all);
    const SCEV *first = se.getAddExpr(ring.base, se.getMulExpr(size, ring.from));
    if (!can_say(first) || !can_say(ring.base) || !can_say(to_end) || !can_say(others))
        return not_said;
    check.first = first;
    check.stride = size;
    check.count = to_end;
    check.before = place();
    check.rule = "loop ring";
    check.ring = true;
    more.push_back(check);
    more.back().first = ring.base;
    more.back().count = others;
    more.back().rule = nullptr; /* one remark for both */
    return nullptr;
}

/* From the preheader of an inner loop. */
const char *Mover::move_range(Check &check)
{
    if (check.ring)
        return "the inner loop begins anew somewhere";
    if (!can_say(check.count) || !can_say(check.stride))
        return "the inner loop does not have as many iterations each time";
    if (can_say(check.first)) {
        check.before = place();
        return nullptr;
    }
    auto *steps = dyn_cast<SCEVAddRecExpr>(check.first);
    if (steps == nullptr || steps->getLoop() != shape.loop || !steps->isAffine())
        return not_regular;
    if (!known_iterations())
        return not_counted;
    const SCEV *step = steps->getStepRecurrence(se), *first = steps->getStart(), *size = bytes(check.size);
    if (se.getTypeSizeInBits(step->getType()) != 64 || !can_say(first))
        return not_said;
    const SCEV *rows = iterations();
    if (check.stride == size && step == se.getMulExpr(size, check.count)) /* row after row */
        check.count = se.getMulExpr(check.count, rows);
    else if (check.stride == size && step == size) /* each row begins one later */
        check.count = se.getAddExpr(check.count, se.getNoopOrZeroExtend(shape.more, word));
    else if (step == size && check.stride == se.getMulExpr(size, rows)) { /* column after column */
        check.count = se.getMulExpr(check.count, rows);
        check.stride = size;
    } else if (check.count->isOne()) { /* one element, by an address that is computed in an inner loop */
        check.count = rows;
        check.stride = step;
    } else {
        return "there are gaps between what the inner loop accesses each time";
    }
    check.first = first;
    check.before = place();
    check.rule = "loop nest";
    return nullptr;
}

bool try_to_move(Mover &mover, Check &check)
{
    const char *why = "it is not certain in each iteration";
    if (!mover.shape.quiet)
        why = mover.shape.loud;
    else if (SmallVector<Guard, 0> guards = check.guards;
             is_always_or_never(mover.context, mover.shape, check.before->getParent(), guards)) {
        size_t before = mover.more.size();
        why = mover.move(check);
        if (why == nullptr)
            check.guards.assign(guards.begin(), guards.end());
        for (Check &another : MutableArrayRef(mover.more).drop_front(before))
            another.guards = check.guards;
    }
    if (check.stays == nullptr && why != nullptr) {
        check.stays = why;
        check.obstacle = mover.shape.obstacle;
    }
    return why == nullptr;
}

} // namespace

void move_out_of_loops(Context &context, Checks &checks)
{
    ReversePostOrderTraversal<Function *> order(&context.function);
    if (context.loops.empty() || containsIrreducibleCFG<BasicBlock *>(order, context.loops))
        return; /* a cycle that is no loop may go on for ever */
    SmallVector<Loop *, 16> inside_out(context.loops.getLoopsInPreorder());
    Quotients quotients = quotients_of(context);
    for (Loop *loop : reverse(inside_out)) {
        LoopShape shape = shape_of(context, loop);
        Mover mover = {context, shape, quotients};
        /* A group is moved as a whole, or each of its fields is on its own. */
        for (Check &check : checks)
            if (check.needed && check.is_group() && loop->contains(check.before) &&
                !try_to_move(mover, check) && !check.is_range())
                dissolve(checks, check);
        for (Check &check : checks)
            if (check.needed && !check.is_group() && loop->contains(check.before))
                try_to_move(mover, check);
        checks.append(mover.more);
    }
}

} // namespace place
