/* pfcc --pf-remarks: what becomes of each access, by which rule (docs/placement.md), or why not. */
#pragma once

#include "place/access.h"

namespace place
{

/* This access needs no check at all. */
void remark_unseen(const llvm::Instruction &access, const char *why);

/* The checks that are not needed any more, since the last time: dropped by this rule. */
void name_rule(Checks &checks, const char *rule);

/* What has become of all others. */
void remark_checks(const Context &context, const Checks &checks);

} // namespace place
