/* Checks of innermost loops, made before the loop, all accesses of one place at once (runtime/loops.c).
 *
 *   [loop range]      the address is the next element's each time
 *   [loop invariant]  it is the same each time
 *
 * The loop has one exit, and gcc can say before the loop how often it is taken around; the access is made each
 * time around before the loop can be left. Nothing in the loop may synchronize, or be the last thing that
 * happens: then all accesses come for certain, and in the same epoch as the check.
 */
#include "place/gcc/checks.h"

#include <cfgloop.h>
#include <dominance.h>
#include <fold-const.h>
#include <gimple-iterator.h>
#include <gimplify-me.h>
#include <gimplify.h>
#include <ssa.h>
#include <tree-pass.h>
#include <tree-scalar-evolution.h>
#include <tree-ssa-loop-niter.h>
#include <tree-ssa-loop.h>

namespace
{

/* Fewer elements than this are as soon checked one by one. */
enum { FEW = 8, FARTHEST = 1 << 30 };

tree declare(const char *name)
{
    tree type = build_function_type_list(void_type_node, ptr_type_node, size_type_node, ptrdiff_type_node,
                                         size_type_node, NULL_TREE);
    tree function = build_fn_decl(name, type);
    TREE_NOTHROW(function) = 1;
    return function;
}

class Mover
{
  public:
    explicit Mover(class loop *all) : around(all)
    {
    }

    /* Returns whether a check has left the loop. */
    bool move_all()
    {
        if (!can_leave() || !look_at_all())
            return false;
        bool moved = false;
        for (Check &check : checks)
            if (check.writes && move(check)) {
                moved = true;
                drop_reads_of(check);
            }
        for (Check &check : checks)
            if (!check.writes && check.call != nullptr)
                moved |= move(check);
        return moved;
    }

  private:
    class loop *around;
    edge exit = nullptr, entry = nullptr;
    tree_niter_desc times; /* how often it is taken around again */
    auto_vec<Check> checks;

    /* The write is checked before the loop, and so before all reads of the same bytes. */
    void drop_reads_of(const Check &write)
    {
        for (Check &check : checks)
            if (!check.writes && check.call != nullptr && same_bytes(check, write)) {
                drop(check.call);
                check.call = nullptr;
            }
    }

    bool can_leave()
    {
        exit = single_exit(around);
        if (exit == nullptr || EDGE_COUNT(around->header->preds) != 2 ||
            (around->header->flags & BB_IRREDUCIBLE_LOOP))
            return false;
        entry = loop_preheader_edge(around);
        return !(entry->flags & EDGE_COMPLEX) && number_of_iterations_exit(around, exit, &times, false) &&
               integer_zerop(times.may_be_zero) &&
               !(TREE_CODE(times.niter) == INTEGER_CST && compare_tree_int(times.niter, FEW) < 0);
    }

    /* False: something in the loop is in the way. */
    bool look_at_all()
    {
        basic_block *blocks = get_loop_body_in_dom_order(around);
        bool clear = true;
        for (unsigned i = 0; i < around->num_nodes && clear; i++) {
            bool each_time = dominated_by_p(CDI_DOMINATORS, exit->src, blocks[i]);
            for (gimple_stmt_iterator at = gsi_start_bb(blocks[i]); !gsi_end_p(at) && clear; gsi_next(&at)) {
                Check check;
                if (!is_check(gsi_stmt(at), check))
                    clear = !may_synchronize(gsi_stmt(at)) && !gimple_has_volatile_ops(gsi_stmt(at));
                else if (each_time)
                    checks.safe_push(check);
            }
        }
        free(blocks);
        return clear;
    }

    bool move(const Check &check)
    {
        affine_iv steps;
        tree address = gimple_call_arg(check.call, 0);
        if (!simple_iv(around, around, address, &steps, false) || TREE_CODE(steps.step) != INTEGER_CST)
            return false;
        HOST_WIDE_INT stride = tree_to_shwi(fold_convert(ssizetype, steps.step));
        if (stride > FARTHEST || stride < -FARTHEST)
            return false;
        gimple_seq before = nullptr;
        tree first = operand(fold_convert(ptr_type_node, unshare_expr(steps.base)), &before);
        gimple_seq_add_stmt(&before,
                            stride == 0 ? single(check, first) : range(check, first, stride, &before));
        gsi_insert_seq_on_edge_immediate(entry, before);
        drop(check.call);
        return true;
    }

    static tree operand(tree value, gimple_seq *before)
    {
        gimple_seq more = nullptr;
        tree simple = force_gimple_operand(value, &more, true, NULL_TREE);
        gimple_seq_add_seq(before, more);
        return simple;
    }

    gimple *single(const Check &check, tree address)
    {
        gimple *call = gimple_build_call(gimple_call_fndecl(check.call), 1, address);
        gimple_set_location(call, gimple_location(check.call));
        return call;
    }

    gimple *range(const Check &check, tree first, HOST_WIDE_INT stride, gimple_seq *before)
    {
        tree count = fold_build2(PLUS_EXPR, size_type_node,
                                 fold_convert(size_type_node, unshare_expr(times.niter)), size_one_node);
        tree count_operand = operand(count, before);
        gimple *call = gimple_build_call(declare(check.writes ? "__pf_writes" : "__pf_reads"), 4, first,
                                         build_int_cst(size_type_node, check.size),
                                         build_int_cst(ptrdiff_type_node, stride), count_operand);
        gimple_set_location(call, gimple_location(check.call));
        return call;
    }
};

} // namespace

unsigned move_out_of_loops(function *function)
{
    bool moved = false;
    if (!optimize || function->can_throw_non_call_exceptions)
        return 0;
    loop_optimizer_init(LOOPS_NORMAL | LOOPS_HAVE_RECORDED_EXITS);
    if (number_of_loops(function) > 1) {
        calculate_dominance_info(CDI_DOMINATORS);
        scev_initialize();
        for (auto each : loops_list(function, LI_ONLY_INNERMOST))
            moved |= Mover(each).move_all();
        scev_finalize();
    }
    loop_optimizer_finalize();
    return moved ? TODO_update_ssa : 0;
}
