/* One check for all accesses that an instruction makes in a loop. */
#pragma once

#include "place/access.h"

namespace place
{

/* Moves checks of loops to before the loops, from the inside outwards, where that names just the bytes that
 * will be accessed for certain: [loop invariant], [loop range], [loop nest]. A check
 * that stays in a loop says why. */
void move_out_of_loops(Context &context, Checks &checks);

} // namespace place
