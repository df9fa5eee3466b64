/* What a check is in the program: a call of the runtime, or a test that makes the call unlikely.
 *
 * The test is the runtime's own (runtime/abi_access.c): the words of the shadow at base + (2 * address mod
 * 2^45) say for each 4 bytes in which epoch they were written (low half) and read (high half) last; if that
 * is the thread's present one, there is nothing to do. `volatile` keeps the optimizer from moving what is
 * read.
 */
#include "place/emit.h"

#include "place/objects.h"
#include "place/tests.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

using namespace llvm;

namespace place
{
namespace
{

constexpr uint64_t SHADOW_MASK = (uint64_t(1) << 45) - 1;
enum { CACHE_LINE = 64 };

/* A range, in values of the function. */
struct Range {
    Value *first, *stride, *count; /* the last two: NULL for one element */
};

/* The thread's epoch, by the instruction that the check is before. */
using Epochs = DenseMap<const Instruction *, Value *>;

Value *load_epoch(Module &module, Instruction *before)
{
    IRBuilder<> at(before);
    Type *i32 = at.getInt32Ty();
    auto *variable = cast<GlobalVariable>(module.getOrInsertGlobal("__pf_epoch", i32));
    variable->setThreadLocalMode(GlobalValue::InitialExecTLSModel);
    return at.CreateAlignedLoad(i32, at.CreateThreadLocalAddress(variable), Align(4), /*isVolatile=*/true);
}

/* The outermost loop around the block in which no epoch ends; NULL: there is none. */
Loop *steady_loop(Context &context, BasicBlock *block, DenseMap<Loop *, bool> &known)
{
    Loop *outermost = nullptr;
    for (Loop *loop = context.loops.getLoopFor(block); loop != nullptr; loop = loop->getParentLoop()) {
        auto [entry, is_new] = known.try_emplace(loop, false);
        if (is_new)
            entry->second = loop->getLoopPreheader() != nullptr && none_of(loop->blocks(), [](BasicBlock *b) {
                                return any_of(*b, [](Instruction &i) { return releases(i); });
                            });
        if (!entry->second)
            break;
        outermost = loop;
    }
    return outermost;
}

/* Loaded once where it stays the same: before a loop in which nothing may release, or in a block from one
 * such instruction to the next. */
Epochs load_epochs(Context &context, const Checks &checks)
{
    DenseSet<const Instruction *> wanted;
    for (const Check &check : checks)
        if (check.tested)
            wanted.insert(check.before);
    DenseMap<Loop *, bool> steady;
    DenseMap<Loop *, Value *> of_loop;
    Epochs epochs;
    for (BasicBlock &block : context.function) {
        Loop *loop = steady_loop(context, &block, steady);
        Value *now = nullptr;
        for (Instruction &i : block) {
            if (wanted.count(&i)) {
                if (loop != nullptr && of_loop[loop] == nullptr)
                    of_loop[loop] =
                        load_epoch(*context.function.getParent(), loop->getLoopPreheader()->getTerminator());
                if (loop == nullptr && now == nullptr)
                    now = load_epoch(*context.function.getParent(), &i);
                epochs[&i] = loop != nullptr ? of_loop[loop] : now;
            }
            if (releases(i))
                now = nullptr;
        }
    }
    return epochs;
}

/* Where the shadow of the address is: the bits of it that `mask` has, twice as far from the shadow's
 * beginning. */
Value *shadow_of(IRBuilder<> &at, Value *number, uint64_t mask)
{
    Module &module = *at.GetInsertBlock()->getModule();
    auto *variable = module.getOrInsertGlobal("__pf_shadow", at.getInt64Ty());
    LoadInst *base = at.CreateAlignedLoad(at.getInt64Ty(), variable, Align(8));
    base->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(module.getContext(), {}));
    return at.CreateIntToPtr(at.CreateAdd(base, at.CreateAnd(at.CreateShl(number, 1), mask)), at.getPtrTy());
}

struct Emitter {
    Context &context;
    const Checks &checks;
    Epochs epochs;
    Module &module = *context.function.getParent();
    LLVMContext &llvm = module.getContext();
    Type *i32 = Type::getInt32Ty(llvm), *i64 = Type::getInt64Ty(llvm),
         *pointer = PointerType::getUnqual(llvm);
    SCEVExpander expander{context.evolution, context.layout, "pf"};

    Range expand(const Check &check);
    void emit(Check &check, const Range &range);
    void emit_guards(Check &check);
    void emit_group(Check &check, Range range);
    void emit_row(Check &check);
    void emit_pair(Check &check);
    void call_with_table(Instruction *before, const Check &check, StringRef name,
                         SmallVector<Value *, 4> arguments);
    Constant *table(Constant *content);
    Constant *table_of(const Check &check, ArrayRef<BasicBlock *> places);
    void emit_single(Check &check, Value *address);
    Instruction *emit_test(Check &check, Value *address, Align align);
    CallInst *emit_call(Instruction *before, const Check &check, Value *address, Align align);
    CallInst *call(Instruction *before, const Check &check, StringRef name, ArrayRef<Value *> arguments);
    Value *half_differs(IRBuilder<> &at, Value *shadow, unsigned half, Value *now);
    Value *differs(IRBuilder<> &at, Value *shadow, unsigned first, const Check &check, Value *now);
};

/* A check changes nothing that the program sees. Each has its own place in the source, so they are never
 * merged. */
AttributeList attributes_of_checks(LLVMContext &llvm)
{
    AttrBuilder builder(llvm);
    builder.addAttribute(Attribute::NoUnwind);
    builder.addAttribute(Attribute::NoMerge);
    builder.addMemoryAttr(MemoryEffects::inaccessibleMemOnly());
    return AttributeList::get(llvm, AttributeList::FunctionIndex, builder);
}

/* The runtime's library is there from the start: calls need no detour by way of the PLT. */
void never_lazily(FunctionCallee callee)
{
    if (auto *function = dyn_cast<Function>(callee.getCallee()))
        function->addFnAttr(Attribute::NonLazyBind);
}

CallInst *Emitter::call(Instruction *before, const Check &check, StringRef name, ArrayRef<Value *> arguments)
{
    SmallVector<Type *, 4> types;
    for (Value *argument : arguments)
        types.push_back(argument->getType());
    FunctionCallee callee =
        module.getOrInsertFunction(name, FunctionType::get(Type::getVoidTy(llvm), types, false));
    never_lazily(callee);
    CallInst *made_call = CallInst::Create(callee, arguments, "", before->getIterator());
    made_call->setDebugLoc(check.access->getDebugLoc());
    if (!check.vtable)
        made_call->setAttributes(attributes_of_checks(llvm));
    return made_call;
}

CallInst *Emitter::emit_call(Instruction *before, const Check &check, Value *address, Align align)
{
    auto *store = dyn_cast<StoreInst>(check.access);
    if (check.vtable && store != nullptr && store->getValueOperand()->getType()->isPointerTy())
        return call(before, check, "__tsan_vptr_update", {address, store->getValueOperand()});
    if (check.vtable && store == nullptr)
        return call(before, check, "__tsan_vptr_read", {address});
    std::string kind = check.write ? "write" : "read";
    if (!is_usual_size(check.size))
        return call(before, check, "__tsan_" + kind + "_range", {address, ConstantInt::get(i64, check.size)});
    if (check.tested)
        return call(before, check, "__pf_" + kind + std::to_string(check.size), {address});
    bool aligned = align.value() >= std::min<uint64_t>(check.size, 8);
    return call(before, check,
                (aligned ? "__tsan_" : "__tsan_unaligned_") + kind + std::to_string(check.size), {address});
}

Value *Emitter::half_differs(IRBuilder<> &at, Value *shadow, unsigned half, Value *now)
{
    Value *where = at.CreateConstInBoundsGEP1_32(i32, shadow, half);
    return at.CreateICmpNE(at.CreateAlignedLoad(i32, where, Align(4), /*isVolatile=*/true), now);
}

/* Is there something to do for the words of the check, the first of which is this one of the shadow's? */
Value *Emitter::differs(IRBuilder<> &at, Value *shadow, unsigned first, const Check &check, Value *now)
{
    Value *not_written = nullptr, *not_read = nullptr;
    for (unsigned word = first; word < first + std::max<uint32_t>(check.size / WORD, 1); word++) {
        Value *w = half_differs(at, shadow, 2 * word, now);
        not_written = not_written == nullptr ? w : at.CreateOr(not_written, w);
        if (check.write)
            continue;
        Value *r = half_differs(at, shadow, 2 * word + 1, now);
        not_read = not_read == nullptr ? r : at.CreateOr(not_read, r);
    }
    return check.write ? not_written : at.CreateAnd(not_read, not_written);
}

/* Returns where to go on if there is something to do. */
Instruction *Emitter::emit_test(Check &check, Value *address, Align align)
{
    IRBuilder<> at(check.before);
    at.SetCurrentDebugLocation(check.access->getDebugLoc());
    Value *number = at.CreatePtrToInt(address, i64);
    Value *shadow = shadow_of(at, number, align.value() < WORD ? SHADOW_MASK & ~uint64_t(7) : SHADOW_MASK);
    Value *now = epochs.lookup(check.before), *to_do = nullptr;
    if (!check.pair && !check.row)
        to_do = differs(at, shadow, 0, check, now);
    for (unsigned i : check.pair || check.row ? ArrayRef(check.fields) : ArrayRef<unsigned>()) {
        const Check &field = checks[i];
        Value *one = differs(at, shadow, unsigned(field.at.offset - check.at.offset) / WORD, field, now);
        to_do = to_do == nullptr ? one : at.CreateOr(to_do, one);
    }
    return SplitBlockAndInsertIfThen(to_do, check.before->getIterator(), /*Unreachable=*/false,
                                     MDBuilder(llvm).createUnlikelyBranchWeights());
}

void Emitter::emit_single(Check &check, Value *address)
{
    Align align = getLoadStoreAlignment(check.access);
    Instruction *before = check.tested ? emit_test(check, address, align) : check.before;
    emit_call(before, check, address, align);
}

Range Emitter::expand(const Check &check)
{
    auto before = check.before->getIterator();
    Range range = {expander.expandCodeFor(check.first, pointer, before), nullptr, nullptr};
    if (!check.count->isOne() || check.is_group()) {
        range.stride = expander.expandCodeFor(check.stride, i64, before);
        range.count = expander.expandCodeFor(check.count, i64, before);
    }
    return range;
}

Constant *Emitter::table(Constant *content)
{
    auto *variable = new GlobalVariable(module, content->getType(), true, GlobalValue::PrivateLinkage,
                                        content, "__pf_fields");
    variable->setComdat(context.function.getComdat()); /* it goes where the function goes */
    variable->setAlignment(Align(16));
    return variable;
}

/* Which field is accessed where: for reports. Of a pair, just where. */
Constant *Emitter::table_of(const Check &check, ArrayRef<BasicBlock *> places)
{
    auto *field = StructType::get(i32, i32, pointer);
    SmallVector<Constant *, 8> fields, of_pair;
    uint64_t offset = 0; /* they have no gaps */
    for (size_t i = 0; i < places.size(); i++) {
        uint32_t size = checks[check.fields[i]].size;
        Constant *place = BlockAddress::get(&context.function, places[i]);
        fields.push_back(
            ConstantStruct::get(field, ConstantInt::get(i32, offset), ConstantInt::get(i32, size), place));
        of_pair.push_back(place);
        offset += size;
    }
    if (check.pair)
        return table(ConstantArray::get(ArrayType::get(pointer, of_pair.size()), of_pair));
    auto *array = ArrayType::get(field, fields.size());
    return table(
        ConstantStruct::getAnon({ConstantInt::get(i32, fields.size()), ConstantInt::get(i32, check.size),
                                 ConstantArray::get(array, fields)}));
}

/* The last argument is the table. A place in the code for each field, that debug information leads from to its
 * line; none is ever executed, since the call returns false. */
void Emitter::call_with_table(Instruction *before, const Check &check, StringRef name,
                              SmallVector<Value *, 4> arguments)
{
    SmallVector<Type *, 4> types;
    for (Value *argument : arguments)
        types.push_back(argument->getType());
    types.push_back(pointer);
    arguments.push_back(ConstantPointerNull::get(cast<PointerType>(pointer)));
    FunctionCallee callee =
        module.getOrInsertFunction(name, FunctionType::get(Type::getInt1Ty(llvm), types, false));
    if (check.pair || check.row)
        never_lazily(callee);
    auto *made = CallInst::Create(callee, arguments, "", before->getIterator());
    made->setDebugLoc(check.access->getDebugLoc());
    made->setAttributes(attributes_of_checks(llvm));
    Instruction *last = SplitBlockAndInsertIfThen(made, before->getIterator(), /*Unreachable=*/false,
                                                  MDBuilder(llvm).createUnlikelyBranchWeights());
    SmallVector<BasicBlock *, 8> places;
    auto *nothing =
        InlineAsm::get(FunctionType::get(Type::getVoidTy(llvm), false), "nop", "", /*hasSideEffects=*/true);
    for (unsigned number : check.fields) {
        BasicBlock *block = SplitBlock(last->getParent(), last);
        CallInst::Create(nothing, {}, "", last->getIterator())
            ->setDebugLoc(checks[number].access->getDebugLoc());
        places.push_back(block);
    }
    made->setArgOperand(made->arg_size() - 1, table_of(check, places));
}

void Emitter::emit_group(Check &check, Range range)
{
    call_with_table(check.before, check, check.write ? "__pf_write_groups" : "__pf_read_groups",
                    {range.first, range.stride, range.count});
}

void Emitter::emit_row(Check &check)
{
    IRBuilder<> at(check.before);
    Value *first = at.CreateConstGEP1_64(at.getInt8Ty(), check.at.base, uint64_t(check.at.offset));
    std::string kind = check.write ? "__pf_write_" : "__pf_read_";
    if (check.tested)
        call_with_table(emit_test(check, first, Align(WORD)), check,
                        kind + "row" + std::to_string(check.size), {first});
    else
        call_with_table(check.before, check, kind + "bytes", {first});
}

void Emitter::emit_pair(Check &check)
{
    const Check &one = checks[check.fields[0]], &other = checks[check.fields[1]];
    IRBuilder<> at(check.before);
    auto address_of = [&](const Check &c) {
        return at.CreateConstGEP1_64(at.getInt8Ty(), c.at.base, uint64_t(c.at.offset));
    };
    Value *first = address_of(one), *second = address_of(other);
    std::string name =
        std::string(one.write ? "__pf_write" : "__pf_read") + (other.write ? "_write8" : "_read8");
    call_with_table(emit_test(check, first, Align(WORD)), check, name, {first, second});
}

/* Asks in the order of the program: the answer to one question may be that there is none to the next. */
void Emitter::emit_guards(Check &check)
{
    IRBuilder<> at(check.before);
    Value *comes = nullptr;
    for (const Guard &guard : reverse(check.guards)) {
        Value *as_said = guard.answer ? guard.question : at.CreateNot(guard.question);
        comes = comes == nullptr ? as_said : at.CreateLogicalAnd(comes, as_said);
    }
    if (comes != nullptr)
        check.before = SplitBlockAndInsertIfThen(comes, check.before->getIterator(), /*Unreachable=*/false);
}

void Emitter::emit(Check &check, const Range &range)
{
    emit_guards(check);
    if (check.pair)
        emit_pair(check);
    else if (check.row)
        emit_row(check);
    else if (check.is_group())
        emit_group(check, range);
    else if (range.count == nullptr)
        emit_single(check, check.is_range() ? range.first : check.address);
    else
        call(check.before, check, check.write ? "__pf_writes" : "__pf_reads",
             {range.first, ConstantInt::get(i64, check.size), range.stride, range.count});
}

/* What the program fetches ahead it accesses soon, and then the test needs its shadow, which is twice as
 * long. */
void emit_prefetches(Function &function)
{
    SmallVector<IntrinsicInst *, 8> fetches;
    for (BasicBlock &block : function)
        for (Instruction &i : block)
            if (auto *call = dyn_cast<IntrinsicInst>(&i); call != nullptr &&
                                                          call->getIntrinsicID() == Intrinsic::prefetch &&
                                                          cast<ConstantInt>(call->getArgOperand(3))->isOne())
                fetches.push_back(call);
    for (IntrinsicInst *i : fetches) {
        IRBuilder<> at(i);
        Value *line = shadow_of(at, at.CreatePtrToInt(i->getArgOperand(0), at.getInt64Ty()), SHADOW_MASK);
        for (unsigned offset : {0, +CACHE_LINE}) {
            auto *fetch = cast<CallInst>(i->clone());
            fetch->setArgOperand(0, at.CreateConstGEP1_32(at.getInt8Ty(), line, offset));
            at.Insert(fetch);
        }
    }
}

} // namespace

/* First what scalar evolution has to say, which knows the blocks as they are. Then from the last check to the
 * first: a block that is split loses only what comes after its next check. */
void emit(Context &context, Checks &checks, bool inlined)
{
    if (inlined) {
        choose_tests(context, checks);
        check_objects_at_once(context, checks);
    }
    Emitter emitter = {context, checks, load_epochs(context, checks)};
    SmallVector<Range, 32> ranges(checks.size(), Range{});
    for (size_t i = 0; i < checks.size(); i++)
        if (checks[i].needed && checks[i].is_range())
            ranges[i] = emitter.expand(checks[i]);
    for (size_t i = checks.size(); i-- > 0;)
        if (checks[i].needed)
            emitter.emit(checks[i], ranges[i]);
    if (inlined)
        emit_prefetches(context.function);
}

bool emit_memory_calls(Function &function)
{
    SmallVector<MemIntrinsic *, 8> calls;
    for (BasicBlock &block : function)
        for (Instruction &i : block)
            if (auto *memory = dyn_cast<MemIntrinsic>(&i);
                memory != nullptr && !i.hasMetadata(LLVMContext::MD_nosanitize))
                calls.push_back(memory);
    for (MemIntrinsic *i : calls) {
        IRBuilder<> at(i);
        Type *pointer = at.getPtrTy(), *i64 = at.getInt64Ty();
        Value *length = at.CreateZExtOrTrunc(i->getLength(), i64);
        Module *module = function.getParent();
        if (auto *set = dyn_cast<MemSetInst>(i)) {
            auto callee =
                module->getOrInsertFunction("__tsan_memset", pointer, pointer, at.getInt32Ty(), i64);
            at.CreateCall(callee, {i->getDest(), at.CreateZExt(set->getValue(), at.getInt32Ty()), length});
        } else {
            auto callee = module->getOrInsertFunction(
                isa<MemMoveInst>(i) ? "__tsan_memmove" : "__tsan_memcpy", pointer, pointer, pointer, i64);
            at.CreateCall(callee, {i->getDest(), cast<MemTransferInst>(i)->getSource(), length});
        }
        i->eraseFromParent();
    }
    return !calls.empty();
}

} // namespace place
