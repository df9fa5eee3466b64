/* Checks of loops that name the same bytes, or neighbouring ones, at one place. */
#pragma once

#include "place/access.h"

namespace place
{

/* Drops those that another one covers, and makes one of neighbours that one line of the source accesses:
 * [coalesce]. */
void unite_ranges(Context &context, Checks &checks);

} // namespace place
