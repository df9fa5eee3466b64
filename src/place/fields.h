/* Neighbouring fields of a struct, or elements of an array, that one block accesses. */
#pragma once

#include "place/access.h"

namespace place
{

/* Adds a check for each group of them: [coalesce]. Their own are not needed as long as it is. */
void unite_fields(Context &context, Checks &checks);

/* Adds one for these checks, which are in the order of their bytes, without gaps. */
void make_group(Checks &checks, llvm::ArrayRef<unsigned> fields);

/* The group is not checked as a whole after all. */
void dissolve(Checks &checks, Check &group);

/* Those that have not been moved, and are not. */
void dissolve_rest(Checks &checks);

} // namespace place
