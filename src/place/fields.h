/* Neighbouring fields of a struct, or elements of an array, that one block accesses. */
#pragma once

#include "place/access.h"

namespace place
{

/* Adds a check for each group of them: [coalesce]. Their own are not needed as long as it is. */
void unite_fields(Context &context, Checks &checks);

/* Adds one for these checks, which are in the order of their bytes, without gaps. */
void make_group(Checks &checks, llvm::ArrayRef<unsigned> fields);

/* Takes the group back: each of its fields is checked on its own. */
void dissolve(Checks &checks, Check &group);

/* Takes back all groups that have not been moved out of a loop. */
void dissolve_rest(Checks &checks);

} // namespace place
