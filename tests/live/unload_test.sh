# Libraries that are unloaded: their memory is forgotten, their names are not; and a plug-in of a program that is not
# instrumented itself.
. "$(dirname "$0")/lib.sh"

for compiler in gcc clang-19; do
    export PF_CC=$compiler
    build plugin.so plugin.c -O1 -shared -fPIC
    build unload unload.c -O1
    start ./unload names
    exits 66
    races 1
    says "#0 plugin_touch .*/plugin.c:[0-9]+ \(plugin.so\+0x"
    says "#0 main .*/unload.c:[0-9]+ "
    start ./unload memory
    exits 0
    prints "same place"
    complains_not
done

# the host knows nothing of us: the library is loaded with what it needs, or the program is run by us
gcc -w -g -pthread "$live/unload.c" -o host || fail "does not build"
start ./host memory
exits 64
prints "place"
says "does not see threads and locks"
run run ./host memory
exits 0
done_testing
