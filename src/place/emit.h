/* Writes checks into the function. */
#pragma once

#include "place/access.h"

namespace place
{

/* `inlined`: the test whether there is anything to do is made in place, and a call only where there is. */
void emit(Context &context, Checks &checks, bool inlined);

/* memcpy, memmove and memset become calls that are checked. */
bool emit_memory_calls(llvm::Function &function);

} // namespace place
