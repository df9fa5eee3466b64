# Libraries that several threads open, use and close: ordered by the dynamic linker, which also finds them where it did.
. "$(dirname "$0")/lib.sh"
mkdir -p libraries

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
