/* Which checks begin with a test in place. */
#pragma once

#include "place/access.h"

namespace place
{

/* Of one element, or fields that are accessed once, and where it pays: `tested`. All others are calls alone. */
void choose_tests(const Context &context, Checks &checks);

/* Has the runtime an entry point for accesses of this size? */
bool is_usual_size(uint32_t size);

} // namespace place
