/* Checks that another one of the same basic block covers (docs/placement.md): `x++` is one check, not two.
 *
 *   [redundant]   the same bytes were checked before, as a write, or as a read if this is one
 *   [read-write]  the same bytes will be checked as a write; this is a read
 *
 * with nothing in between that may synchronize, and, for the second, nothing after which the write may never
 * come.
 */
#include "place/gcc/checks.h"

#include <gimple-iterator.h>

namespace
{

class Block
{
  public:
    void look_at(basic_block block)
    {
        known.truncate(0);
        for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at);) {
            gimple *statement = gsi_stmt(at);
            gsi_next(&at); /* it may be gone afterwards */
            Check check;
            if (is_check(statement, check))
                meet(check);
            else if (may_synchronize(statement))
                known.truncate(0);
            else if (gimple_has_volatile_ops(statement))
                keep_all();
        }
    }

  private:
    auto_vec<Check> known; /* no two of the same bytes */

    void meet(const Check &check)
    {
        for (Check &earlier : known) {
            if (!same_bytes(earlier, check))
                continue;
            if (earlier.writes || !check.writes) {
                drop(check.call); /* [redundant] */
                return;
            }
            if (!earlier.stays)
                drop(earlier.call); /* [read-write] */
            earlier = check;
            return;
        }
        known.safe_push(check);
    }

    void keep_all()
    {
        for (Check &check : known)
            check.stays = true;
    }
};

} // namespace

void drop_covered(function *function)
{
    basic_block block;
    Block looked_at;
    FOR_EACH_BB_FN(block, function)
    looked_at.look_at(block);
}
