/* A load that cannot fault may be made in vain, and the optimizer does so: `load (select c, &a, &b)` becomes two loads,
 * and a counter that a loop increments under a condition is loaded before the loop. In functions with sanitize_thread
 * most of LLVM's passes leave that, but those here do not ask. They ask whether the memory is there, though
 * (isDereferenceableAndAlignedPointer). So, while one of them runs, it does not know so of memory that other threads
 * may know, or does not see that accesses under a condition are ordinary ones. Afterwards everything is as it was.
 *
 * Passes are asked by their class names, as LLVM 19 has them.
 */
#include "place/speculation.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LazyCallGraph.h>
#include <llvm/Analysis/Loads.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MustExecute.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ValueHandle.h>

#include <memory>

using namespace llvm;

namespace place
{
namespace
{

/* ---- which memory other threads may know ---- */

enum { MOST_USES = 500, POINTER_BYTES = 8 };

bool may_hold_pointer(Type *type, const DataLayout &layout)
{
    TypeSize size = layout.getTypeStoreSize(type);
    return size.isScalable() || size.getFixedValue() >= POINTER_BYTES;
}

/* Follows a pointer to an object of the function, also through other such objects that it is kept in: before it is
 * optimized, a function keeps all pointers in variables. */
class Flow
{
  public:
    explicit Flow(const DataLayout &of) : layout(of)
    {
    }

    /* May the pointer get out of the function? */
    bool leaves(const Value *object)
    {
        add(object, false);
        for (unsigned budget = MOST_USES; !waiting.empty();) {
            auto [value, holds] = waiting.pop_back_val();
            for (const Use &use : value->uses())
                if (budget-- == 0 || leaves_by(use, holds))
                    return true;
        }
        return false;
    }

  private:
    const DataLayout &layout;
    SmallVector<std::pair<const Value *, bool>, 16>
        waiting; /* pointers; do they lead to memory that has the pointer? */
    SmallPtrSet<const Value *, 16> seen[2];

    void add(const Value *value, bool holds)
    {
        if (seen[holds].insert(value).second)
            waiting.push_back({value, holds});
    }

    /* What is written there is to be followed. */
    bool leaves_into(const Value *address)
    {
        const Value *object = getUnderlyingObject(address);
        if (!isa<AllocaInst>(object))
            return true;
        add(object, true);
        return false;
    }

    bool leaves_by(const Use &use, bool holds)
    {
        auto *user = cast<Instruction>(use.getUser());
        if (auto *load = dyn_cast<LoadInst>(user)) {
            if (holds && may_hold_pointer(load->getType(), layout))
                add(load, true);
            return false;
        }
        if (auto *store = dyn_cast<StoreInst>(user))
            return use.getOperandNo() != StoreInst::getPointerOperandIndex() &&
                   leaves_into(store->getPointerOperand());
        if (isa<GetElementPtrInst, CastInst, PHINode, SelectInst, FreezeInst, ExtractValueInst,
                InsertValueInst>(user)) {
            add(user, holds);
            return false;
        }
        if (auto *copy = dyn_cast<MemTransferInst>(user))
            return holds && use.get() == copy->getRawSource() && leaves_into(copy->getRawDest());
        if (isa<ICmpInst, MemSetInst>(user) || user->isLifetimeStartOrEnd() || user->isDroppable())
            return false;
        auto *call = dyn_cast<CallBase>(user);
        return call == nullptr || holds || !call->isDataOperand(&use) ||
               !call->doesNotCapture(call->getDataOperandNo(&use));
    }
};

bool is_shared(const Value *object, const DataLayout &layout)
{
    if (auto *global = dyn_cast<GlobalVariable>(object))
        return !global->isConstant();
    auto *argument = dyn_cast<Argument>(object);
    bool own = isa<AllocaInst>(object) || isNoAliasCall(object) ||
               (argument != nullptr && argument->hasPassPointeeByValueCopyAttr());
    return !own || Flow(layout).leaves(object);
}

/* Would a pass believe that memory at this pointer is there? Also what it may find out meanwhile. */
bool is_believed(const Value *pointer, const DataLayout &layout)
{
    return isNoAliasCall(pointer) ||
           isDereferenceableAndAlignedPointer(pointer, Align(1), APInt(64, 1), layout);
}

/* ---- what is not shown, and how it was ---- */

class Veil
{
  public:
    /* Every object that other threads may know: there may be no memory. */
    void cover(Function &function)
    {
        cover_globals(function);
        cover_arguments(function);
        SmallVector<Instruction *, 16> objects;
        for (Instruction &i : instructions(function))
            if (isa<AllocaInst, CallBase, LoadInst>(i) && i.getType()->isPointerTy())
                objects.push_back(&i);
        for (Instruction *i : objects)
            cover_object(*i, i->getFunction()->getDataLayout());
    }

    /* What was accessed just before is there. LLVM looks for that as far as a call; so there is one. */
    void cover_past(Function &function)
    {
        SmallVector<Instruction *, 8> atomics;
        for (Instruction &i : instructions(function))
            if (i.isAtomic())
                atomics.push_back(&i);
        LLVMContext &context = function.getContext();
        auto *nothing = InlineAsm::get(FunctionType::get(Type::getVoidTy(context), false), "", "",
                                       /*hasSideEffects=*/true);
        for (Instruction *i : atomics) {
            CallInst *call = IRBuilder<>(i->getNextNode()).CreateCall(nothing);
            call->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
            call->addFnAttr(Attribute::NoUnwind);
            call->addFnAttr(Attribute::WillReturn);
            calls.push_back(call);
        }
    }

    /* This address may be any. */
    void cover_use(Use &use)
    {
        auto *user = cast<Instruction>(use.getUser());
        use.set(make_opaque(use.get(), user));
    }

    /* For the pass it is no ordinary access. */
    void cover_access(LoadInst &load)
    {
        load.setVolatile(true);
        accesses.push_back(&load);
    }
    void cover_access(StoreInst &store)
    {
        store.setVolatile(true);
        accesses.push_back(&store);
    }

    void lift()
    {
        for (auto &[global, linkage] : globals)
            global->setLinkage(linkage);
        for (auto &[argument, attribute] : attributes)
            argument->addAttr(attribute);
        for (auto &[load, kind, node] : metadata)
            if (auto *there = cast_or_null<LoadInst>(static_cast<Value *>(load)))
                there->setMetadata(kind, node);
        for (WeakVH &access : accesses) {
            if (auto *load = dyn_cast_or_null<LoadInst>(static_cast<Value *>(access)))
                load->setVolatile(false);
            if (auto *store = dyn_cast_or_null<StoreInst>(static_cast<Value *>(access)))
                store->setVolatile(false);
        }
        for (WeakVH &opaque : opaques)
            if (auto *call = cast_or_null<CallInst>(static_cast<Value *>(opaque))) {
                call->replaceAllUsesWith(call->getArgOperand(0));
                call->eraseFromParent();
            }
        for (WeakVH &call : calls)
            if (auto *there = cast_or_null<CallInst>(static_cast<Value *>(call)))
                there->eraseFromParent();
        *this = Veil();
    }

  private:
    SmallVector<std::pair<GlobalVariable *, GlobalValue::LinkageTypes>, 16> globals;
    SmallVector<std::pair<Argument *, Attribute>, 8> attributes;
    SmallVector<std::tuple<WeakVH, unsigned, MDNode *>, 8> metadata;
    SmallVector<WeakVH, 16> accesses, opaques, calls;

    /* What is declared to be weak may have no memory. */
    void cover_globals(Function &function)
    {
        SmallVector<const Constant *, 16> waiting;
        SmallPtrSet<const Constant *, 16> seen;
        auto add = [&](const Value *value) {
            if (auto *constant = dyn_cast<Constant>(value);
                constant != nullptr && seen.insert(constant).second)
                waiting.push_back(constant);
        };
        for (Instruction &i : instructions(function))
            for (const Use &operand : i.operands())
                add(operand);
        while (!waiting.empty()) {
            const Constant *constant = waiting.pop_back_val();
            if (auto *global = dyn_cast<GlobalVariable>(constant);
                global != nullptr && !global->isConstant()) {
                auto *variable = const_cast<GlobalVariable *>(global);
                globals.push_back({variable, variable->getLinkage()});
                variable->setLinkage(GlobalValue::ExternalWeakLinkage);
            } else if (!isa<Function>(constant)) { /* also tables of pointers to variables */
                for (const Use &operand : constant->operands())
                    add(operand);
            }
        }
    }

    void cover_arguments(Function &function)
    {
        const DataLayout &layout = function.getDataLayout();
        for (Argument &argument : function.args()) {
            for (auto kind : {Attribute::Dereferenceable, Attribute::DereferenceableOrNull})
                if (Attribute attribute = argument.getAttribute(kind); attribute.isValid()) {
                    attributes.push_back({&argument, attribute});
                    argument.removeAttr(kind);
                }
            if (argument.getType()->isPointerTy() && is_believed(&argument, layout) &&
                is_shared(&argument, layout))
                cover_value(argument, &*function.getEntryBlock().getFirstInsertionPt());
        }
    }

    void cover_object(Instruction &i, const DataLayout &layout)
    {
        if (isa<LoadInst>(i)) {
            for (unsigned kind : {LLVMContext::MD_dereferenceable, LLVMContext::MD_dereferenceable_or_null})
                if (MDNode *node = i.getMetadata(kind); node != nullptr) {
                    metadata.push_back({WeakVH(&i), kind, node});
                    i.setMetadata(kind, nullptr);
                }
        } else if (is_believed(&i, layout) && is_shared(&i, layout)) {
            if (std::optional<BasicBlock::iterator> after = i.getInsertionPointAfterDef())
                cover_value(i, &**after);
        }
    }

    void cover_value(Value &value, Instruction *before)
    {
        CallInst *opaque = make_opaque(&value, before);
        value.replaceUsesWithIf(opaque, [&](Use &use) {
            auto *user = dyn_cast<Instruction>(use.getUser());
            return user != nullptr && user != opaque && !user->isLifetimeStartOrEnd();
        });
    }

    /* The same pointer, of which nothing is known but that it is not NULL, and its alignment. */
    CallInst *make_opaque(Value *pointer, Instruction *before)
    {
        const DataLayout &layout = before->getFunction()->getDataLayout();
        LLVMContext &context = before->getContext();
        Type *type = pointer->getType();
        auto *same =
            InlineAsm::get(FunctionType::get(type, {type}, false), "", "=r,0", /*hasSideEffects=*/false);
        CallInst *call = IRBuilder<>(before).CreateCall(same, {pointer});
        call->setMemoryEffects(MemoryEffects::none());
        call->addFnAttr(Attribute::NoUnwind);
        call->addFnAttr(Attribute::WillReturn);
        if (isKnownNonZero(pointer, layout))
            call->addRetAttr(Attribute::NonNull);
        call->addRetAttr(Attribute::getWithAlignment(context, pointer->getPointerAlignment(layout)));
        opaques.push_back(call);
        return call;
    }
};

/* ---- the passes ---- */

/* Others may have written what this thread has accessed. By plain stores, which order nothing, it has only itself. */
bool may_order(const Instruction &i)
{
    auto *store = dyn_cast<StoreInst>(&i);
    return i.mayWriteToMemory() && (store == nullptr || !store->isSimple());
}

/* InstCombine asks at the select whether memory was accessed just before, and loads it at the load. */
bool may_come_between(const Instruction &first, const Instruction &last)
{
    if (first.getParent() != last.getParent())
        return true;
    for (const Instruction *i = first.getNextNode(); i != &last; i = i->getNextNode())
        if (may_order(*i))
            return true;
    return false;
}

void cover_late_loads(Veil &veil, Function &function)
{
    SmallVector<Use *, 8> late;
    for (Instruction &i : instructions(function)) {
        auto *load = dyn_cast<LoadInst>(&i);
        const Value *address = load != nullptr ? load->getPointerOperand() : nullptr;
        while (address != nullptr && isa<GetElementPtrInst>(address))
            address = cast<GetElementPtrInst>(address)->getPointerOperand();
        auto *select = dyn_cast_or_null<SelectInst>(address);
        if (select != nullptr && may_come_between(*select, i))
            late.push_back(&load->getOperandUse(LoadInst::getPointerOperandIndex()));
    }
    for (Use *use : late)
        veil.cover_use(*use);
}

bool has_choices(const Function &function)
{
    return any_of(instructions(function), [](const Instruction &i) {
        return isa<SelectInst>(i) || (isa<IntrinsicInst>(i) && i.mayReadFromMemory());
    });
}

void before_combining(Veil &veil, Function &function)
{
    if (!has_choices(function))
        return;
    cover_late_loads(veil, function);
    veil.cover(function);
    veil.cover_past(function);
}

void before_splitting(Veil &veil, Function &function)
{
    if (none_of(instructions(function), [](const Instruction &i) { return isa<AllocaInst>(i); }))
        return;
    veil.cover(function);
    veil.cover_past(function);
}

/* LICM keeps a variable in a register in a loop, and loads it before the loop. For that one access that comes for
 * certain will do; or a store under a condition, if the memory is there. */
void before_promoting(Veil &veil, const Loop &loop)
{
    Function &function = *loop.getHeader()->getParent();
    const DataLayout &layout = function.getDataLayout();
    SmallVector<StoreInst *, 8> candidates;
    for (BasicBlock *block : loop.blocks())
        for (Instruction &i : *block) {
            auto *store = dyn_cast<StoreInst>(&i);
            if (store == nullptr || !store->isUnordered())
                continue;
            const Value *object = getUnderlyingObject(store->getPointerOperand());
            if (is_believed(object, layout) && is_shared(object, layout))
                candidates.push_back(store);
        }
    if (candidates.empty())
        return;
    DominatorTree dominators(function);
    ICFLoopSafetyInfo safety;
    safety.computeLoopSafetyInfo(&loop);
    SmallPtrSet<const Value *, 8> certain;
    for (BasicBlock *block : loop.blocks())
        for (Instruction &i : *block)
            if (const Value *address = getLoadStorePointerOperand(&i);
                address != nullptr && safety.isGuaranteedToExecute(i, &dominators, &loop))
                certain.insert(address);
    for (StoreInst *store : candidates)
        if (!certain.contains(store->getPointerOperand()))
            veil.cover_access(*store);
}

bool is_passed_shared(const Argument &argument)
{
    const Function *function = argument.getParent();
    return any_of(function->users(), [&](const User *user) {
        auto *call = dyn_cast<CallBase>(user);
        if (call == nullptr || call->arg_size() <= argument.getArgNo())
            return false;
        const Value *object = getUnderlyingObject(call->getArgOperand(argument.getArgNo()));
        return is_shared(object, function->getDataLayout());
    });
}

/* The loads of the argument that do not come for certain when the function is called. */
void cover_conditional_loads(Veil &veil, Argument &argument)
{
    SmallPtrSet<const Instruction *, 16> certain;
    for (Instruction &i : argument.getParent()->getEntryBlock()) {
        certain.insert(&i);
        if (!isGuaranteedToTransferExecutionToSuccessor(&i))
            break;
    }
    SmallVector<Value *, 8> waiting = {&argument};
    while (!waiting.empty())
        for (User *user : waiting.pop_back_val()->users()) {
            if (isa<GetElementPtrInst>(user))
                waiting.push_back(user);
            auto *load = dyn_cast<LoadInst>(user);
            if (load != nullptr && load->isSimple() && !certain.contains(load))
                veil.cover_access(*load);
        }
}

/* ArgumentPromotion passes what the pointer leads to instead of the pointer: the caller loads it. */
void before_passing(Veil &veil, Function &function)
{
    if (!function.hasLocalLinkage())
        return;
    for (Argument &argument : function.args())
        if (argument.getType()->isPointerTy() && is_passed_shared(argument))
            cover_conditional_loads(veil, argument);
}

/* TailCallElim makes a loop of a recursion, and does then before the call what came after it. */
void before_looping(Veil &veil, Function &function)
{
    for (BasicBlock &block : function) {
        bool called = false;
        for (Instruction &i : block) {
            auto *call = dyn_cast<CallInst>(&i);
            called |= call != nullptr && call->getCalledFunction() == &function && call->mayHaveSideEffects();
            auto *load = dyn_cast<LoadInst>(&i);
            if (called && load != nullptr && load->isSimple() &&
                is_shared(getUnderlyingObject(load->getPointerOperand()), function.getDataLayout()))
                veil.cover_access(*load);
        }
    }
}

/* GVN keeps in a register what a loop reads each time it begins, and reads it again where a call may have changed it: also
 * if the loop does not begin again. It does so if that is not on every way through the loop. */
void before_reusing(Veil &veil, Function &function)
{
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    for (Loop *loop : loops.getLoopsInPreorder()) {
        const BasicBlock *latch = loop->getLoopLatch();
        if (latch == nullptr || none_of(loop->blocks(), [&](const BasicBlock *block) {
                return loops.getLoopFor(block) == loop && !dominators.dominates(block, latch) &&
                       any_of(*block, may_order);
            }))
            continue;
        for (Instruction &i : *loop->getHeader())
            if (auto *load = dyn_cast<LoadInst>(&i);
                load != nullptr && load->isSimple() && loop->isLoopInvariant(load->getPointerOperand()) &&
                is_shared(getUnderlyingObject(load->getPointerOperand()), function.getDataLayout()))
                veil.cover_access(*load);
    }
}

enum Pass { OTHER, COMBINES, SPLITS, PROMOTES, PASSES, LOOPS, REUSES };

Pass pass_of(StringRef name)
{
    return StringSwitch<Pass>(name)
        .Case("InstCombinePass", COMBINES)
        .Case("SROAPass", SPLITS)
        .Cases("LICMPass", "LNICMPass", PROMOTES)
        .Case("ArgumentPromotionPass", PASSES)
        .Case("TailCallElimPass", LOOPS)
        .Case("GVNPass", REUSES)
        .Default(OTHER);
}

/* Only functions whose accesses will be checked. */
Function *checked(const Function *function)
{
    return function->hasFnAttribute(Attribute::SanitizeThread) ? const_cast<Function *>(function) : nullptr;
}

void before(Veil &veil, Pass pass, const Any &ir)
{
    if (pass == OTHER)
        return;
    if (auto *function = any_cast<const Function *>(&ir);
        function != nullptr && checked(*function) != nullptr) {
        if (pass == COMBINES)
            before_combining(veil, *checked(*function));
        else if (pass == SPLITS)
            before_splitting(veil, *checked(*function));
        else if (pass == LOOPS)
            before_looping(veil, *checked(*function));
        else if (pass == REUSES)
            before_reusing(veil, *checked(*function));
    }
    if (auto *loop = any_cast<const Loop *>(&ir);
        loop != nullptr && pass == PROMOTES && checked((*loop)->getHeader()->getParent()) != nullptr)
        before_promoting(veil, **loop);
    if (auto *component = any_cast<const LazyCallGraph::SCC *>(&ir); component != nullptr && pass == PASSES)
        for (const LazyCallGraph::Node &node : **component)
            if (Function *function = checked(&node.getFunction()); function != nullptr)
                before_passing(veil, *function);
}

} // namespace

void keep_from_speculating(PassInstrumentationCallbacks &passes)
{
    auto veil = std::make_shared<Veil>();
    passes.registerBeforeNonSkippedPassCallback(
        [veil](StringRef name, const Any &ir) { before(*veil, pass_of(name), ir); });
    auto lift = [veil](StringRef name, auto &&...) {
        if (pass_of(name) != OTHER)
            veil->lift();
    };
    /* Before anyone else looks at the function. */
    passes.registerAfterPassCallback(
        [lift](StringRef name, const Any &, const PreservedAnalyses &) { lift(name); }, /*ToFront=*/true);
    passes.registerAfterPassInvalidatedCallback(
        [lift](StringRef name, const PreservedAnalyses &) { lift(name); }, /*ToFront=*/true);
}

} // namespace place
