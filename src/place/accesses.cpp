/* Which accesses need a check at all. */
#include "place/access.h"
#include "place/remarks.h"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Operator.h>

using namespace llvm;

namespace place
{
namespace
{

bool is_constant_variable(const Value *object)
{
    auto *global = dyn_cast<GlobalVariable>(object);
    return global != nullptr && global->isConstant();
}

/* Are all pointers in it, if any, to constant variables? */
bool names_constants(const Constant *value)
{
    if (value->getType()->isPointerTy())
        return is_constant_variable(getUnderlyingObject(value));
    return all_of(value->operands(), [](const Use &part) { return names_constants(cast<Constant>(part)); });
}

/* A constant variable, or what a table of pointers to such ones has: names of kinds, months, errors. */
bool is_constant(const Value *object)
{
    auto *load = dyn_cast<LoadInst>(object);
    auto *table =
        load != nullptr ? dyn_cast<GlobalVariable>(getUnderlyingObject(load->getPointerOperand())) : nullptr;
    return is_constant_variable(object) ||
           (table != nullptr && table->isConstant() && table->hasDefinitiveInitializer() &&
            names_constants(table->getInitializer()));
}

/* Only this thread knows where it is. */
bool is_private(const Value *object, DenseMap<const Value *, bool> &known)
{
    auto *alloca = dyn_cast<AllocaInst>(object);
    if (alloca == nullptr)
        return false;
    auto [entry, is_new] = known.try_emplace(alloca, false);
    if (is_new)
        entry->second = !PointerMayBeCaptured(alloca, /*ReturnCaptures=*/true, /*StoreCaptures=*/true);
    return entry->second;
}

bool is_vtable(const Instruction &i)
{
    const MDNode *tag = i.getMetadata(LLVMContext::MD_tbaa);
    return tag != nullptr && tag->isTBAAVtableAccess();
}

/* Virtual function tables themselves never change. */
bool is_in_vtable(const Value *address)
{
    auto *gep = dyn_cast<GEPOperator>(address);
    auto *load = dyn_cast<LoadInst>(gep != nullptr ? gep->getPointerOperand() : address);
    return load != nullptr && is_vtable(*load);
}

/* The C library's tables of character classes, and the thread's pointers to them. */
bool is_character_class(const Value *object)
{
    auto *load = dyn_cast<LoadInst>(object);
    const Value *from = load != nullptr ? getUnderlyingObject(load->getPointerOperand()) : object;
    auto *call = dyn_cast<CallInst>(from);
    if (call == nullptr || call->getCalledFunction() == nullptr)
        return false;
    StringRef name = call->getCalledFunction()->getName();
    return name == "__ctype_b_loc" || name == "__ctype_tolower_loc" || name == "__ctype_toupper_loc";
}

/* Written by the compiler's own instrumentation. */
bool is_of_compiler(const Value *object)
{
    auto *global = dyn_cast<GlobalVariable>(object);
    return global != nullptr &&
           (global->getName().starts_with("__llvm_gcov") || global->getName().starts_with("__llvm_gcda") ||
            global->getName().starts_with("__profc_"));
}

/* Why no other thread could notice the access; NULL: it could. A pointer that walks through a loop, or was chosen from
 * several, may be into any of the objects. */
const char *unseen(const Instruction &access, const Value *address, DenseMap<const Value *, bool> &known)
{
    SmallVector<const Value *, 4> objects;
    getUnderlyingObjects(address, objects);
    if (all_of(objects, [&](const Value *object) { return is_private(object, known); }))
        return "no other thread knows where it is";
    if (all_of(objects, is_of_compiler))
        return "the compiler counts there";
    if (isa<LoadInst>(access) &&
        (all_of(objects, is_constant) || is_in_vtable(address) || all_of(objects, is_character_class)))
        return "it never changes";
    return nullptr;
}

Location location_of(Value *address, const DataLayout &layout)
{
    APInt offset(layout.getIndexTypeSizeInBits(address->getType()), 0);
    Value *base = address->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
    return {base, offset.getSExtValue()};
}

} // namespace

Checks accesses_of(Context &context)
{
    Checks checks;
    DenseMap<const Value *, bool> known;
    for (BasicBlock &block : context.function)
        for (Instruction &i : block) {
            auto *load = dyn_cast<LoadInst>(&i);
            auto *store = dyn_cast<StoreInst>(&i);
            if ((load == nullptr && store == nullptr) || i.isAtomic() ||
                i.hasMetadata(LLVMContext::MD_nosanitize))
                continue;
            Value *address = getLoadStorePointerOperand(&i);
            TypeSize size = context.layout.getTypeStoreSize(getLoadStoreType(&i));
            if (address->getType()->getPointerAddressSpace() != 0 || address->isSwiftError() ||
                size.isScalable() || size.isZero())
                continue;
            if (const char *why = unseen(i, address, known); why != nullptr) {
                remark_unseen(i, why);
                continue;
            }
            Check check = {&i,
                           &i,
                           address,
                           location_of(address, context.layout),
                           static_cast<uint32_t>(size.getFixedValue()),
                           store != nullptr,
                           is_vtable(i)};
            checks.push_back(check);
        }
    return checks;
}

} // namespace place
