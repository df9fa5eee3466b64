# An instrumented plug-in in a host that is not instrumented. Loaded first, by photofinish run or by hand, the runtime sees
# the host's threads and locks; loaded with the plug-in it does not, says so, and reports nothing rather than what locks
# have ordered.
. "$(dirname "$0")/lib.sh"
library=$(dirname "$tool")/../lib/photofinish/libphotofinish.so.0
cat >host.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
    int (*run)(int) = plugin != NULL ? (int (*)(int))dlsym(plugin, "run") : NULL;
    if (run == NULL)
        return puts(dlerror()), 2;
    printf("result %d\n", run(argc + (argv == NULL)));
    return 0;
}
END
cat >plugin.cpp <<'END'
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
static int racy, counted;
static std::mutex m;
extern "C" int run(int racing)
{
    auto other = std::async(std::launch::async, [racing]() -> int {
        if (racing > 1)
            racy++;
        std::lock_guard<std::mutex> guard(m);
        counted++;
        throw std::runtime_error(std::string(50, 'x'));
    });
    if (racing > 1)
        racy++;
    {
        std::lock_guard<std::mutex> guard(m);
        counted++;
    }
    try {
        return other.get();
    } catch (const std::exception &e) {
        return e.what()[1] == 'x' ? counted : -1;
    }
}
END
command_line="gcc host.c" status=0
gcc host.c -o host -ldl || fail "does not build"
for PF_CXX in g++ clang++-19; do
    command -v "$PF_CXX" >/dev/null || continue
    export PF_CXX
    build plugin.so ./plugin.cpp -O1 -shared -fPIC
    start ./host
    exits 64
    prints "result 2"
    says "^photofinish: the race detector was loaded after the C library .* so it reports nothing .*; start the program with photofinish run, or with LD_PRELOAD="
    start ./host race
    exits 64
    races 0
    run run ./host
    exits 0
    prints "result 2"
    run run ./host race
    exits 66
    prints "result 2"
    races 1
    LD_PRELOAD=$library start ./host
    exits 0
    prints "result 2"
    complains_not
    LD_PRELOAD=$library start ./host race
    exits 66
    prints "result 2"
    races 1
    says "global 'racy'"
done
done_testing
