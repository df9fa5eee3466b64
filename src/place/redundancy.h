/* Checks that another check covers (001 §3.2): history and anticipation over the control flow graph. */
#pragma once

#include "place/access.h"

namespace place
{

/* Covered by a check before, on every path, with no release in between: [history]. */
void drop_checked_before(Context &context, Checks &checks);

/* Covered by a check after, on every path, with no synchronization in between and nothing that may prevent
 * it: [anticipated]. */
void drop_checked_later(Context &context, Checks &checks);

} // namespace place
