/* One check for all accesses that an instruction of a loop has made, where the loop is left. */
#pragma once

#include "place/access.h"

namespace place
{

/* Moves checks that could not leave their loop forwards to after it, one to each exit: [loop after]. */
void move_behind_loops(Context &context, Checks &checks);

} // namespace place
