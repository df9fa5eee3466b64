/* Loads that the program does not make, and that the optimizer would make before the pass sees them. */
#pragma once

#include <llvm/IR/PassInstrumentation.h>

namespace place
{

/* From now on none is added to a function with sanitize_thread: [speculation]. */
void keep_from_speculating(llvm::PassInstrumentationCallbacks &passes);

} // namespace place
