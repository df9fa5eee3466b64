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
        unsigned own = 0; /* checks since the last access: those of the next one */
        for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at);) {
            gimple *statement = gsi_stmt(at);
            gsi_next(&at); /* it may be gone afterwards */
            Check check;
            if (is_check(statement, check)) {
                own += meet(check);
                continue;
            }
            if (may_synchronize(statement))
                known.truncate(0);
            else if (may_be_last(statement))
                keep_all_but(own);
            if (gimple_vuse(statement) != NULL_TREE)
                own = 0;
        }
    }

  private:
    enum { MOST = 64 };
    auto_vec<Check> known; /* no two of the same bytes; the latest is last */

    /* Returns whether it is known now, and stays where it is. */
    bool meet(const Check &check)
    {
        for (unsigned i = 0; i < known.length(); i++) {
            if (!same_bytes(known[i], check))
                continue;
            if (known[i].writes || !check.writes) {
                drop(check.call); /* [redundant] */
                return false;
            }
            if (!known[i].stays)
                drop(known[i].call); /* [read-write] */
            known.ordered_remove(i);
            break;
        }
        if (known.length() == MOST)
            known.ordered_remove(0);
        known.safe_push(check);
        return true;
    }

    /* What comes now may be the last thing that happens: a race that explains it must have been told. But for
     * the check of what comes now itself. */
    void keep_all_but(unsigned own)
    {
        for (unsigned i = 0; i + own < known.length(); i++)
            known[i].stays = true;
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
