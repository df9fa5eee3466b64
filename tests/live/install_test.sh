# make install into a directory of its own: everything works from there, and nothing refers to where it was built.
. "$(dirname "$0")/lib.sh"
build_directory=$(cd "$(dirname "$tool")/.." && pwd)
prefix=$PWD/there
command_line="cmake --install" status=0
cmake --install "$build_directory" --prefix "$prefix" >.out 2>.err || fail "does not install"
for file in bin/photofinish bin/pfcc bin/pfc++ include/photofinish/annotate.h lib/photofinish/libphotofinish.so.0 \
    lib/photofinish/libphotofinish.a share/doc/photofinish/README.md share/photofinish/default.supp lib/photofinish/identity.h $(cd "$build_directory/man" && printf 'share/man/man1/%s\n' *.1); do
    checks=$((checks + 1))
    [ -e "$prefix/$file" ] || fail "no $file"
done
for file in "$prefix"/bin/* "$prefix"/lib/photofinish/*.so*; do
    checks=$((checks + 1))
    ! readelf -d "$file" 2>/dev/null | grep -E "RPATH|RUNPATH" | grep -q "$build_directory" || fail "$file knows $build_directory"
done

tool=$prefix/bin/photofinish pfcc=$prefix/bin/pfcc pfcxx=$prefix/bin/pfc++
cat >annotated.c <<'END'
#include <photofinish/annotate.h>
int main(void) { return 0; }
END
for compiler in gcc clang-19; do
    cxx=g++
    [ $compiler = gcc ] || cxx=clang++-19
    for how in "" --pf-static; do
        export PF_CC=$compiler PF_CXX=$cxx
        build ends ends.c -O1 $how
        checks=$((checks + 1))
        ! ldd ends | grep -q "$build_directory" || fail "linked to the build"
        start ./ends
        exits 66
        races 1
        says "#0 race .*/ends.c:[0-9]+ \(ends\+0x"
        run run ./ends clean
        exits 7
        build heap heap.cpp -O0 -std=c++17 $how
        start ./heap delete drop-first
        exits 66
        build annotated ./annotated.c $how
        start ./annotated
        exits 0
    done
done
run --version
exits 0
done_testing
