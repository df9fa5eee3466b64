/* Two accesses to one object that one block makes. */
#pragma once

#include "place/access.h"

namespace place
{

/* Adds a check for both where each has a test: [pair]. Their own are not needed then. The last thing before
 * checks are written into the function. */
void make_pairs(Context &context, Checks &checks);

} // namespace place
