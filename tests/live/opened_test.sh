# Libraries that several threads open, use and close: ordered by the dynamic linker, which also finds them where it did.
. "$(dirname "$0")/lib.sh"
mkdir -p libraries
gcc -shared -fPIC -x c /dev/null -o plain.so || fail "does not build"
gcc -shared -fPIC -x c /dev/null -o other.so || fail "does not build"

for compiler in gcc clang-19; do
    export PF_CC=$compiler
    build opened.so opened.c -DPLUGIN -O1 -shared -fPIC
    build opened opened.c -O1
    start ./opened both
    exits 0
    prints "4"
    complains_not
    start ./opened one # who has not opened it is not ordered with the constructor
    exits 66
    says "opened_value"
    start ./opened variables
    exits 0
    prints "4"
    complains_not
    build needs.so opened.c -DNEEDS -O1 -shared -fPIC ./opened.so # by its path
    build named.so opened.c -DPLUGIN -O1 -shared -fPIC -Wl,-soname,libnamed.so.1
    ln -sf named.so libnamed.so.1
    build needs_named.so opened.c -DNEEDS -O1 -shared -fPIC ./named.so -Wl,-rpath,"$PWD"
    for pair in "opened.so needs.so" "named.so needs_named.so"; do
        start ./opened needs "./${pair% *}" "./${pair#* }"
        exits 0
        prints "1"
        complains_not
    done
    # the dynamic linker's lock orders nothing for those that have no instrumented library in common
    build also.so opened.c -DPLUGIN -O1 -shared -fPIC
    for pair in "plain.so other.so" "plain.so plain.so" "plain.so opened.so" "opened.so plain.so" "opened.so also.so"; do
        start ./opened apart "./${pair% *}" "./${pair#* }"
        exits 66
        races 1
        says "Location is global 'shared'"
    done
    start ./opened apart ./opened.so ./opened.so # both come after its constructors
    exits 0
    rm -f libraries/opened.so libraries/libopened_here.so
    cp opened.so libraries/libopened_here.so
    start ./opened both libopened_here.so
    exits 3
    prints "libopened_here.so: cannot open shared object file: No such file or directory"
    # shellcheck disable=SC2016
    for flags in '-Wl,-rpath,$ORIGIN/libraries' '-Wl,-rpath,$ORIGIN/libraries -Wl,--disable-new-dtags'; do
        # shellcheck disable=SC2086
        build opened_path opened.c -O1 $flags
        start ./opened_path variables libopened_here.so
        exits 0
        prints "4"
        complains_not
    done
    start ./opened variables '$ORIGIN/libraries/libopened_here.so'
    exits 0
    prints "4"
    complains_not
done
done_testing
