/* gcc's checks, without those that another one covers (docs/placement.md): `x++` is one check, not two.
 *
 * A plugin for gcc. Its pass comes right after gcc's own, which has put a call of __tsan_readN or __tsan_writeN
 * before each access, and looks at one basic block at a time:
 *
 *   [redundant]   the same bytes were checked before, as a write, or as a read if this is one
 *   [read-write]  the same bytes will be checked as a write; this is a read
 *
 * with nothing in between that may synchronize, and, for the second, nothing after which the write may never
 * come. Addresses are compared as gcc's terms for them, over SSA names: what is equal is the same address.
 *
 * gcc refuses to go on when a plugin fails. One that was made for another gcc does nothing instead.
 */
#include <gcc-plugin.h>
#include <plugin-version.h>

#include <tree.h>

#include <basic-block.h>
#include <gimple.h>

#include <context.h>
#include <fold-const.h>
#include <gimple-iterator.h>
#include <options.h>
#include <ssa.h>
#include <tree-pass.h>

extern "C" __attribute__((visibility("default"))) int plugin_is_GPL_compatible;
extern "C" __attribute__((visibility("default"))) int plugin_init(plugin_name_args *plugin,
                                                                  plugin_gcc_version *gcc);
int plugin_is_GPL_compatible;

namespace
{

struct Check {
    gimple *call;
    tree address;
    unsigned size;
    bool writes;
    bool stays; /* something came after it that may be the last thing that happens */
};

/* gcc names the address with a statement of its own, each time. */
tree address_of(gimple *call)
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

/* Calls of which nothing is known may; so may assembly. */
bool may_synchronize(gimple *statement)
{
    switch (gimple_code(statement)) {
    case GIMPLE_ASSIGN:
    case GIMPLE_DEBUG:
    case GIMPLE_LABEL:
    case GIMPLE_NOP:
    case GIMPLE_PREDICT:
        return false;
    case GIMPLE_CALL: {
        int flags = gimple_call_flags(statement);
        return gimple_call_internal_p(statement) || !(flags & ECF_CONST) ||
               (flags & (ECF_LOOPING_CONST_OR_PURE | ECF_NORETURN));
    }
    default:
        return true;
    }
}

void drop(gimple *call)
{
    gimple_stmt_iterator at = gsi_for_stmt(call);
    unlink_stmt_vdef(call);
    gsi_remove(&at, true);
    release_defs(call);
}

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

const pass_data data = {GIMPLE_PASS, "photofinish", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0};

class Pass : public gimple_opt_pass
{
  public:
    Pass() : gimple_opt_pass(data, g)
    {
    }
    opt_pass *clone() override /* one for each place that gcc's pass has */
    {
        return new Pass;
    }
    bool gate(function *) override
    {
        return (flag_sanitize & SANITIZE_THREAD) != 0;
    }
    unsigned execute(function *function) override
    {
        basic_block block;
        Block looked_at;
        FOR_EACH_BB_FN(block, function)
        looked_at.look_at(block);
        return 0;
    }
};

void register_after(const char *plugin, const char *pass)
{
    register_pass_info info = {new Pass, pass, 0, PASS_POS_INSERT_AFTER};
    register_callback(plugin, PLUGIN_PASS_MANAGER_SETUP, nullptr, &info);
}

} // namespace

int plugin_init(plugin_name_args *plugin, plugin_gcc_version *gcc)
{
    if (!plugin_default_version_check(gcc, &gcc_version))
        return 0;
    register_after(plugin->base_name, "tsan");
    register_after(plugin->base_name, "tsan0"); /* without optimization */
    return 0;
}
