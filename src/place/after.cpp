/* How many iterations a search makes is known when it has found something. A check after a loop covers the
 * accesses in it if nothing in the loop may acquire, and is legitimate if nothing may release (001 §3.2). It
 * comes for certain if the loop ends.
 *
 * The number of accesses is counted: the iterations that were finished, and one more where the access comes
 * before the exit in the last one. So each way out has its number, which is exact.
 */
#include "place/after.h"

#include "place/loops.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallBitVector.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

using namespace llvm;

namespace place
{
namespace
{

/* Each exit has a check of its own: too many of them are more code than they are worth. */
enum { MOST_EXITS = 4 };

/* When a check after the loop pays (docs/decisions.md): the call costs as much as tests in place of so many
 * words, or parts of words. Where nothing is known of a loop, LLVM believes in 32 iterations at most, which
 * says nothing; what is said to be likely gives many more. An exit is never taken, nearly, if it is so much
 * seldomer than the loop. */
enum { FEWEST_WORDS = 8, FEWEST_PARTS = 12, BEYOND_GUESSING = 64, SELDOM = 64 };

/* Bytes that a check names but for their number. */
struct Elements {
    const SCEV *start, *stride;
    bool downwards;
};

struct AfterLoop {
    Context &context;
    LoopShape shape;
    ScalarEvolution &se = context.evolution;
    SCEVExpander expander{context.evolution, context.layout, "pf"};
    Type *word = Type::getInt64Ty(context.function.getContext());
    SmallVector<BasicBlock *, MOST_EXITS> exits;
    PHINode *finished = nullptr;  /* iterations, in the loop */
    Instruction *begun = nullptr; /* one more */
    /* The numbers that are there: by the exit, and by the exiting blocks whose iteration counts. */
    SmallVector<std::tuple<BasicBlock *, SmallBitVector, PHINode *>, 4> counts;

    AfterLoop(Context &ctx, Loop *loop) : context(ctx), shape(shape_of(ctx, loop))
    {
        loop->getUniqueExitBlocks(exits);
    }
    bool has_places() const;
    bool ends() const;
    uint64_t times(const BasicBlock *block) const;
    bool fails_early(BasicBlock *exiting) const;
    bool pays(const Check &check) const;
    SmallBitVector counted_exits(const Instruction *place) const;
    bool elements_of(const Check &check, Elements &elements);
    void count_iterations();
    const SCEV *count_at(BasicBlock *exit, const SmallBitVector &counted);
    void place_check(Check &check, BasicBlock *exit, const Elements &elements, const SmallBitVector &counted);
    const char *move(Checks &checks, size_t number);
};

bool AfterLoop::has_places() const
{
    return shape.quiet && !exits.empty() && exits.size() <= MOST_EXITS && shape.loop->hasDedicatedExits() &&
           none_of(exits, [](BasicBlock *exit) { return exit->isEHPad(); });
}

/* By its bounds, or by the language's word: it accesses nothing volatile or atomic, and does no input or
 * output (C11 6.8.5p6). */
bool AfterLoop::ends() const
{
    return se.loopIsFiniteByAssumption(shape.loop) ||
           !isa<SCEVCouldNotCompute>(se.getSymbolicMaxBackedgeTakenCount(shape.loop));
}

/* As the compiler believes. */
uint64_t AfterLoop::times(const BasicBlock *block) const
{
    return context.frequencies.getBlockFreq(block).getFrequency();
}

/* Is it, but for the end of the loop, an exit that the program takes when something went wrong? */
bool AfterLoop::fails_early(BasicBlock *exiting) const
{
    return all_of(successors(exiting), [&](BasicBlock *to) {
        return shape.loop->contains(to) || times(to) < times(shape.preheader) / SELDOM;
    });
}

/* Most searches are short, texts above all. Those are long that a profile, or the program, says are; and
 * loops with an end that are left before it only when something went wrong. */
bool AfterLoop::pays(const Check &check) const
{
    if (times(shape.preheader) == 0)
        return false; /* it never comes there, or that is not known */
    uint64_t iterations = times(shape.loop->getHeader()) / times(shape.preheader);
    if (context.function.hasProfileData())
        return iterations >= (check.size >= WORD ? FEWEST_WORDS : FEWEST_PARTS);
    return iterations >= BEYOND_GUESSING || all_of(shape.exiting, [&](BasicBlock *exiting) {
               return !isa<SCEVCouldNotCompute>(se.getExitCount(shape.loop, exiting)) || fails_early(exiting);
           });
}

/* The exiting blocks that it comes before, in the same iteration. Before the others it has not come, on no
 * path: they are in the loop, so from there a path leads to the latch, and on it the place comes; it would be
 * there twice in one iteration, in an inner loop. */
SmallBitVector AfterLoop::counted_exits(const Instruction *place) const
{
    SmallBitVector counted(shape.exiting.size());
    for (unsigned i = 0; i < shape.exiting.size(); i++)
        counted[i] = context.dominators.dominates(place->getParent(), shape.exiting[i]);
    return counted;
}

bool AfterLoop::elements_of(const Check &check, Elements &elements)
{
    auto *steps = dyn_cast<SCEVAddRecExpr>(se.getSCEV(check.address));
    if (steps == nullptr || steps->getLoop() != shape.loop || !steps->isAffine() ||
        !expander.isSafeToExpandAt(steps->getStart(), shape.preheader->getTerminator()))
        return false;
    auto *stride = dyn_cast<SCEVConstant>(steps->getStepRecurrence(se));
    if (stride == nullptr || stride->getAPInt().getBitWidth() != 64 ||
        stride->getAPInt().abs().ult(check.size))
        return false;
    bool with_gaps = stride->getAPInt().abs() != check.size;
    elements = {steps->getStart(), stride, stride->getAPInt().isNegative()};
    return check.size >= WORD || !with_gaps; /* as in ranges.cpp */
}

void AfterLoop::count_iterations()
{
    BasicBlock *header = shape.loop->getHeader();
    finished = PHINode::Create(word, 2, "pf.finished", header->begin());
    begun = BinaryOperator::CreateNUW(Instruction::Add, finished, ConstantInt::get(word, 1), "pf.begun",
                                      header->getFirstInsertionPt());
    finished->addIncoming(ConstantInt::get(word, 0), shape.preheader);
    finished->addIncoming(begun, shape.loop->getLoopLatch());
}

const SCEV *AfterLoop::count_at(BasicBlock *exit, const SmallBitVector &counted)
{
    for (auto &[at, which, count] : counts)
        if (at == exit && which == counted)
            return se.getUnknown(count);
    if (finished == nullptr)
        count_iterations();
    PHINode *count = PHINode::Create(word, 2, "pf.count", exit->begin());
    for (BasicBlock *from : predecessors(exit)) {
        unsigned i = find(shape.exiting, from) - shape.exiting.begin();
        count->addIncoming(counted[i] ? begun : static_cast<Instruction *>(finished), from);
    }
    counts.push_back({exit, counted, count});
    return se.getUnknown(count);
}

void AfterLoop::place_check(Check &check, BasicBlock *exit, const Elements &elements,
                            const SmallBitVector &counted)
{
    check.count = count_at(exit, counted);
    check.first = elements.start;
    check.stride = elements.stride;
    if (elements.downwards) { /* from its other end */
        const SCEV *more = se.getMinusSCEV(check.count, se.getOne(word));
        check.first = se.getAddExpr(elements.start, se.getMulExpr(elements.stride, more));
        check.stride = se.getNegativeSCEV(elements.stride);
    }
    check.before = &*exit->getFirstInsertionPt();
    check.after = true;
    check.rule = "loop after";
}

/* Returns why a check cannot be moved, and NULL when it was. */
const char *AfterLoop::move(Checks &checks, size_t number)
{
    const Instruction *place = checks[number].before;
    Elements elements;
    if (!context.dominators.dominates(place->getParent(), shape.loop->getLoopLatch()) ||
        !elements_of(checks[number], elements))
        return checks[number].stays;
    if (!ends())
        return "the loop may go on for ever";
    if (!pays(checks[number]))
        return "the loop is believed to be too short for a check after it";
    SmallBitVector counted = counted_exits(place);
    for (BasicBlock *exit : drop_begin(exits)) {
        Check same = checks[number];
        same.repeated = true;
        place_check(same, exit, elements, counted);
        checks.push_back(same);
    }
    place_check(checks[number], exits.front(), elements, counted);
    return nullptr;
}

/* Where the loop itself makes it, and by itself. */
bool is_of_loop(const Context &context, const Check &check, const Loop *loop)
{
    return check.needed && !check.is_range() && !check.is_group() && !check.vtable && check.guards.empty() &&
           context.loops.getLoopFor(check.before->getParent()) == loop;
}

} // namespace

void move_behind_loops(Context &context, Checks &checks)
{
    ReversePostOrderTraversal<Function *> order(&context.function);
    if (context.loops.empty() || containsIrreducibleCFG<BasicBlock *>(order, context.loops))
        return; /* as for those before loops */
    for (Loop *loop : context.loops.getLoopsInPreorder()) {
        AfterLoop after(context, loop);
        if (!after.has_places())
            continue;
        for (size_t i = 0, all = checks.size(); i < all; i++)
            if (is_of_loop(context, checks[i], loop))
                checks[i].stays = after.move(checks, i);
    }
}

} // namespace place
