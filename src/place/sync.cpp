/* Which instructions may order threads, and which may not get done. */
#include "place/access.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

namespace place
{
namespace
{

enum Effect { NOTHING, ACQUIRES, RELEASES, BOTH };

/* Functions that only take or only give: the runtime begins a new epoch when it gives, and at no other time.
 */
Effect effect_of_name(StringRef name)
{
    return StringSwitch<Effect>(name)
        .Cases("pthread_mutex_lock", "pthread_spin_lock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock",
               ACQUIRES)
        .Cases("pthread_mutex_unlock", "pthread_spin_unlock", "pthread_rwlock_unlock", RELEASES)
        .Default(BOTH);
}

/* Numbers in, a number out: programs have a log() of their own that is something else. */
bool is_of_numbers(const FunctionType *type)
{
    auto is_number = [](Type *t) { return t->isFloatingPointTy() || t->isIntegerTy(); };
    return !type->isVarArg() && is_number(type->getReturnType()) && all_of(type->params(), is_number);
}

Effect effect_of_mathematics(StringRef name)
{
    return StringSwitch<Effect>(name)
        .Cases("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", NOTHING)
        .Cases("cosh", "tanh", "exp", "exp2", "log", "log2", "log10", "pow", NOTHING)
        .Cases("sqrt", "cbrt", "fabs", "floor", "ceil", "round", "fmod", "hypot", NOTHING)
        .Cases("sinf", "cosf", "tanf", "expf", "logf", "powf", "sqrtf", "floorf", NOTHING)
        .Cases("abs", "labs", "llabs", "isalpha", "isdigit", "isspace", "tolower", "toupper", NOTHING)
        .Default(BOTH);
}

Effect effect_of_call(const CallBase &call)
{
    if (isa<MemIntrinsic>(call))
        return NOTHING;
    if (isa<IntrinsicInst>(call) && !call.mayReadOrWriteMemory())
        return NOTHING;
    if (call.isInlineAsm())
        return call.mayReadOrWriteMemory() || cast<InlineAsm>(call.getCalledOperand())->hasSideEffects()
                   ? BOTH
                   : NOTHING;
    if (call.hasFnAttr(Attribute::NoSync))
        return NOTHING;
    const Function *callee = call.getCalledFunction();
    if (callee == nullptr || !callee->isDeclaration())
        return BOTH;
    if (isa<IntrinsicInst>(call))
        return BOTH;
    return is_of_numbers(callee->getFunctionType()) ? effect_of_mathematics(callee->getName())
                                                    : effect_of_name(callee->getName());
}

Effect effect_of_ordering(AtomicOrdering ordering, bool reads, bool writes)
{
    bool takes = reads && isAcquireOrStronger(ordering), gives = writes && isReleaseOrStronger(ordering);
    return takes && gives ? BOTH : takes ? ACQUIRES : gives ? RELEASES : NOTHING;
}

Effect effect_of(const Instruction &i)
{
    if (auto *call = dyn_cast<CallBase>(&i))
        return effect_of_call(*call);
    if (auto *load = dyn_cast<LoadInst>(&i))
        return effect_of_ordering(load->getOrdering(), true, false);
    if (auto *store = dyn_cast<StoreInst>(&i))
        return effect_of_ordering(store->getOrdering(), false, true);
    if (auto *fence = dyn_cast<FenceInst>(&i))
        return effect_of_ordering(fence->getOrdering(), true, true);
    if (isa<AtomicRMWInst>(i) || isa<AtomicCmpXchgInst>(i))
        return BOTH;
    return NOTHING;
}

} // namespace

bool acquires(const Instruction &instruction)
{
    Effect effect = effect_of(instruction);
    return effect == ACQUIRES || effect == BOTH;
}

bool releases(const Instruction &instruction)
{
    Effect effect = effect_of(instruction);
    return effect == RELEASES || effect == BOTH;
}

bool goes_on(const Instruction &instruction)
{
    return effect_of(instruction) == NOTHING && isGuaranteedToTransferExecutionToSuccessor(&instruction);
}

} // namespace place
