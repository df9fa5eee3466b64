/* What is told of a function, a line for each access; then how many there were of each kind. */
#include "place/remarks.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>

using namespace llvm;

namespace place
{
namespace
{

cl::opt<bool> wanted("pf-remarks", cl::desc("Photofinish: tell what becomes of the check of each access"));

unsigned line_of(const Instruction &i)
{
    return i.getDebugLoc() ? i.getDebugLoc().getLine() : 0;
}

/* file.c:12: in f: */
void print_place(raw_ostream &out, const Function &function, const DILocation *location)
{
    if (location != nullptr)
        out << location->getFilename() << ':' << location->getLine();
    else
        out << function.getParent()->getSourceFileName();
    out << ": in " << demangle(function.getName()) << ": ";
}

void print_access(raw_ostream &out, const Instruction &access)
{
    const DataLayout &layout = access.getModule()->getDataLayout();
    auto *store = dyn_cast<StoreInst>(&access);
    Type *type = store != nullptr ? store->getValueOperand()->getType() : access.getType();
    uint64_t size = layout.getTypeStoreSize(type).getKnownMinValue();
    print_place(out, *access.getFunction(), access.getDebugLoc());
    out << (store != nullptr ? "write of " : "read of ") << size << (size == 1 ? " byte " : " bytes ");
}

StringRef fate_of(StringRef rule)
{
    return StringSwitch<StringRef>(rule)
        .Case("history", "needs no check of its own: it was checked before on every way")
        .Case("anticipated", "needs no check of its own: it will be checked on every way")
        .Case("coalesce", "needs no check of its own: one at the same place covers it")
        .Case("loop invariant", "is checked once before the loop")
        .Case("loop range", "is checked for all iterations before the loop")
        .Case(
            "loop ring",
            "is checked for all iterations before the loop, up to the end of its ring and from the beginning on")
        .Case("loop after", "is checked for all iterations after the loop")
        .Default("is checked for all iterations before the loops around it");
}

void print_obstacle(raw_ostream &out, const Check &check)
{
    out << check.stays;
    if (check.obstacle != nullptr && line_of(*check.obstacle) != 0)
        out << " (line " << line_of(*check.obstacle) << ')';
}

/* A check that stays where it is, outside of loops, is not worth a line. */
void remark_check(const Check &check)
{
    if (check.is_group() || (check.rule == nullptr && check.stays == nullptr))
        return; /* its fields have theirs */
    std::string line;
    raw_string_ostream out(line);
    print_access(out, *check.access);
    if (check.rule != nullptr)
        out << fate_of(check.rule) << " [" << check.rule << ']';
    if (check.needed && check.stays != nullptr) {
        out << (check.rule != nullptr ? ", but stays in the one around it: " : "stays in the loop: ");
        print_obstacle(out, check);
    }
    errs() << line << '\n';
}

} // namespace

void remark_unseen(const Instruction &access, const char *why)
{
    if (!wanted)
        return;
    std::string line;
    raw_string_ostream out(line);
    print_access(out, access);
    out << "needs no check: " << why << " [private]";
    errs() << line << '\n';
}

void name_rule(Checks &checks, const char *rule)
{
    for (Check &check : checks)
        if (!check.needed && check.dropped_by == nullptr)
            check.rule = check.dropped_by = rule;
}

void remark_checks(const Context &context, const Checks &checks)
{
    if (!wanted || checks.empty())
        return;
    unsigned all = 0, dropped = 0, moved = 0, after = 0;
    for (const Check &check : checks) {
        if (check.repeated || (check.is_group() && !check.needed))
            continue;
        remark_check(check);
        all += !check.is_group();
        dropped += !check.needed;
        dropped -= check.is_group(); /* it is that of its first field */
        moved += check.needed && !check.after && check.before != check.access;
        after += check.needed && check.after;
    }
    std::string line;
    raw_string_ostream out(line);
    const DISubprogram *subprogram = context.function.getSubprogram();
    if (subprogram != nullptr)
        out << subprogram->getFilename() << ':' << subprogram->getLine() << ": in "
            << demangle(context.function.getName()) << ": ";
    else
        print_place(out, context.function, nullptr);
    out << "accesses that others could see: " << all << "; covered by other checks: " << dropped
        << ", checked before loops: " << moved << ", after loops: " << after
        << ", where they are: " << all - dropped - moved - after;
    errs() << line << '\n';
}

} // namespace place
