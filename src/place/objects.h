/* Several accesses to one object that one block makes. */
#pragma once

#include "place/access.h"

namespace place
{

/* Adds one check for them where each has a test: [row], [pair]. Their own are not needed then. The last thing
 * before checks are written into the function. */
void check_objects_at_once(Context &context, Checks &checks);

} // namespace place
