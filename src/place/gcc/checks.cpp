#include "place/gcc/checks.h"

#include <fold-const.h>
#include <gimple-iterator.h>
#include <ssa.h>

/* gcc names the address with a statement of its own, each time. */
static tree address_of(gimple *call)
{
    tree address = gimple_call_arg(call, 0);
    if (TREE_CODE(address) != SSA_NAME)
        return address;
    gimple *definition = SSA_NAME_DEF_STMT(address);
    return gimple_assign_single_p(definition) && TREE_CODE(gimple_assign_rhs1(definition)) == ADDR_EXPR
               ? gimple_assign_rhs1(definition)
               : address;
}

bool is_check(gimple *statement, Check &check)
{
    static const built_in_function reads[] = {BUILT_IN_TSAN_READ1, BUILT_IN_TSAN_READ2, BUILT_IN_TSAN_READ4,
                                              BUILT_IN_TSAN_READ8, BUILT_IN_TSAN_READ16};
    static const built_in_function writes[] = {BUILT_IN_TSAN_WRITE1, BUILT_IN_TSAN_WRITE2,
                                               BUILT_IN_TSAN_WRITE4, BUILT_IN_TSAN_WRITE8,
                                               BUILT_IN_TSAN_WRITE16};
    for (unsigned i = 0; i < 5; i++)
        if (gimple_call_builtin_p(statement, reads[i]) || gimple_call_builtin_p(statement, writes[i])) {
            check = {statement, address_of(statement), 1u << i, gimple_call_builtin_p(statement, writes[i]),
                     false};
            return true;
        }
    return false;
}

bool same_bytes(const Check &a, const Check &b)
{
    return a.size == b.size && operand_equal_p(a.address, b.address, 0);
}

bool may_synchronize(gimple *statement)
{
    switch (gimple_code(statement)) {
    case GIMPLE_ASSIGN:
    case GIMPLE_COND:
    case GIMPLE_DEBUG:
    case GIMPLE_LABEL:
    case GIMPLE_NOP:
    case GIMPLE_PREDICT:
    case GIMPLE_SWITCH:
        return false;
    case GIMPLE_CALL: /* a function that the program declares const may still lock something */
        return !gimple_call_builtin_p(statement, BUILT_IN_NORMAL) ||
               !(gimple_call_flags(statement) & ECF_CONST) ||
               (gimple_call_flags(statement) & (ECF_LOOPING_CONST_OR_PURE | ECF_NORETURN));
    default:
        return true;
    }
}

/* (Floating point numbers could have it so, and mostly have not.) */
bool may_be_last(gimple *statement)
{
    tree result = gimple_get_lhs(statement);
    bool number =
        gimple_vuse(statement) == NULL_TREE && result != NULL_TREE && FLOAT_TYPE_P(TREE_TYPE(result));
    return gimple_has_volatile_ops(statement) || (!number && gimple_could_trap_p(statement));
}

void drop(gimple *call)
{
    gimple_stmt_iterator at = gsi_for_stmt(call);
    unlink_stmt_vdef(call);
    gsi_remove(&at, true);
    release_defs(call);
}
