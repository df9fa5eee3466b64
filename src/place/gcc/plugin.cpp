/* gcc's checks, fewer of them, and in better places (docs/placement.md, "With gcc").
 *
 * A plugin for gcc, whose pass comes right after the one of gcc that puts a call of __tsan_readN or __tsan_writeN
 * before each access. gcc refuses to go on when a plugin fails: one that was made for another gcc does nothing
 * instead.
 *
 *   -fplugin-arg-photofinish_gcc-loops   also move checks out of loops: they become calls of our runtime's own
 */
#include "place/gcc/checks.h"

#include <plugin-version.h>

#include <context.h>
#include <options.h>
#include <tree-pass.h>

extern "C" __attribute__((visibility("default"))) int plugin_is_GPL_compatible;
extern "C" __attribute__((visibility("default"))) int plugin_init(plugin_name_args *plugin,
                                                                  plugin_gcc_version *gcc);
int plugin_is_GPL_compatible;

namespace
{

bool with_loops;

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
        drop_covered(function);
        return with_loops ? move_out_of_loops(function) : 0;
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
    for (int i = 0; i < plugin->argc; i++)
        with_loops |= strcmp(plugin->argv[i].key, "loops") == 0;
    register_after(plugin->base_name, "tsan");
    register_after(plugin->base_name, "tsan0"); /* without optimization */
    return 0;
}
