/* The pass: decides for each function where its accesses are checked (docs/placement.md).
 *
 * It runs before the loop vectorizer, so that loops without checks in them are vectorized, and takes the
 * function out of the hands of clang's own -fsanitize=thread, which then only sees to atomics, calls and
 * returns. What it does not handle (functions that are not optimized, and whatever is compiled for link-time
 * optimization) stays with clang.
 */
#include "place/access.h"
#include "place/after.h"
#include "place/emit.h"
#include "place/fields.h"
#include "place/loops.h"
#include "place/ranges.h"
#include "place/redundancy.h"
#include "place/remarks.h"
#include "place/speculation.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

using namespace llvm;

namespace
{

enum Placement { EVERY, REDCARD, BIGFOOT };

cl::opt<Placement>
    placement("pf-placement", cl::desc("Photofinish: where accesses are checked"), cl::init(BIGFOOT),
              cl::values(clEnumValN(EVERY, "every", "each access, by a call"),
                         clEnumValN(REDCARD, "redcard", "each that was not checked before"),
                         clEnumValN(EVERY, "slimstate", "another name for every"),
                         clEnumValN(REDCARD, "slimcard", "another name for redcard"),
                         clEnumValN(BIGFOOT, "bigfoot", "loops as a whole, and nothing twice")));

/* A runtime that counts (bench/live --count) sees only calls. */
cl::opt<bool> inline_tests("pf-inline", cl::desc("Photofinish: test in place what needs no call"),
                           cl::init(true));

void place_checks(place::Context &context)
{
    place::Checks checks = place::accesses_of(context);
    if (placement != EVERY)
        place::drop_checked_before(context, checks);
    place::name_rule(checks, "history");
    if (placement == BIGFOOT) {
        place::drop_checked_later(context, checks);
        place::name_rule(checks, "anticipated");
        place::unite_fields(context, checks);
        place::move_out_of_loops(context, checks);
        place::dissolve_rest(checks);
        place::move_behind_loops(context, checks);
        place::unite_ranges(context, checks);
        place::name_rule(checks, "coalesce");
    }
    place::remark_checks(context, checks);
    place::emit(context, checks, placement == BIGFOOT && inline_tests);
}

struct PlacementPass : PassInfoMixin<PlacementPass> {
    PreservedAnalyses run(Function &function, FunctionAnalysisManager &manager)
    {
        if (!function.hasFnAttribute(Attribute::SanitizeThread) ||
            function.hasFnAttribute(Attribute::DisableSanitizerInstrumentation) ||
            function.hasFnAttribute(Attribute::Naked))
            return PreservedAnalyses::all();
        LoopInfo &loops = manager.getResult<LoopAnalysis>(function);
        DominatorTree &dominators = manager.getResult<DominatorTreeAnalysis>(function);
        ScalarEvolution &evolution = manager.getResult<ScalarEvolutionAnalysis>(function);
        AssumptionCache &assumptions = manager.getResult<AssumptionAnalysis>(function);
        for (Loop *loop : loops)
            simplifyLoop(loop, &dominators, &loops, &evolution, &assumptions, nullptr,
                         /*PreserveLCSSA=*/false);
        place::Context context = {function,
                                  dominators,
                                  loops,
                                  evolution,
                                  manager.getResult<BlockFrequencyAnalysis>(function),
                                  function.getParent()->getDataLayout()};
        place_checks(context);
        place::emit_memory_calls(function);
        function.removeFnAttr(Attribute::SanitizeThread);
        return PreservedAnalyses::none();
    }
};

void register_pass(PassBuilder &builder)
{
    if (PassInstrumentationCallbacks *passes = builder.getPassInstrumentationCallbacks(); passes != nullptr)
        place::keep_from_speculating(*passes);
    builder.registerVectorizerStartEPCallback([](FunctionPassManager &passes, OptimizationLevel level) {
        if (level != OptimizationLevel::O0)
            passes.addPass(PlacementPass());
    });
}

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "photofinish", PF_VERSION, register_pass};
}
