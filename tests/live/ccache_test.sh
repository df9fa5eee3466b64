# Caches of compilations: never an object of another compiler, another plugin or another placement; and they do cache.
. "$(dirname "$0")/lib.sh"
if ! command -v ccache >/dev/null; then
    echo "NOT TESTED: ccache is not installed"
    exit 0
fi
export CCACHE_DIR=$PWD/cache CCACHE_CONFIGPATH=$PWD/ccache.conf
unset CCACHE_DISABLE CCACHE_DEPEND CCACHE_SLOPPINESS PF_CC PF_CXX
: >ccache.conf
mkdir include
echo '#define ONE 1' >include/one.h
cat >counter.c <<'C'
#include <one.h>
int counter;
void count(int *a, int n);
void count(int *a, int n)
{
    for (int i = 0; i < n; i++)
        counter += a[i] + ONE;
}
C
compilers=(gcc "gcc -O2" clang-19)
placements=(every bigfoot)
hits() { ccache --print-stats | awk '$1 == "direct_cache_hit" || $1 == "preprocessed_cache_hit" { n += $2 } END { print n + 0 }'; }

# ENVIRONMENT COMMAND...: objects of all compilers and placements, without the cache and, twice, with it: the same ones
compare() {
    local compiler placement way round at=0
    for round in 1 2; do
        for compiler in "${compilers[@]}"; do
            for placement in "${placements[@]}"; do
                command_line="round $round: $compiler, $placement: $*"
                status=0
                PF_CC=$compiler "$pfcc" --placement=$placement -g -O1 -Iinclude -c counter.c -o wanted.o 2>.err || fail "no object"
                env "${1/COMPILER/$compiler}" "${@:2}" --placement=$placement -g -O1 -Iinclude "${more[@]}" -c counter.c -o got.o \
                    2>.err || fail "no object from the cache"
                # an option for the cache may be in the debugging information, in nothing else
                objcopy --strip-debug wanted.o && objcopy --strip-debug got.o
                same_file wanted.o got.o
            done
        done
    done
}
more=()
ccache -Cz >/dev/null
compare PF_CC=COMPILER ccache "$pfcc"
checks=$((checks + 1))
[ "$(hits)" -eq 6 ] || fail "six hits of the second round expected, not $(hits)"

# with lists of dependencies; they name nothing that is not there
ccache -Cz >/dev/null
more=(-MD -MF counter.d)
compare PF_CC=COMPILER ccache "$pfcc"
checks=$((checks + 1))
[ "$(hits)" -eq 6 ] || fail "six hits expected, not $(hits)"
for file in $(sed 's/^[^:]*://; s/\\$//' counter.d); do
    [ -f "$file" ] || fail "counter.d has $file"
done

# what users tell ccache to be lax about
ccache -Cz >/dev/null
export CCACHE_SLOPPINESS=time_macros,system_headers,include_file_mtime,include_file_ctime,locale,pch_defines
compare PF_CC=COMPILER ccache "$pfcc"
unset CCACHE_SLOPPINESS
ccache -Cz >/dev/null
export CCACHE_NOCPP2=1
compare PF_CC=COMPILER ccache "$pfcc"
unset CCACHE_NOCPP2

# a mode in which ccache cannot know is refused
ccache -Cz >/dev/null
CCACHE_DEPEND=1 start env PF_CC=clang-19 ccache "$pfcc" -MD -c counter.c -Iinclude -o got.o
exits 64
says "^pfcc: ccache: in its depend mode it cannot tell the compilers apart that PF_CC may name"
[ ! -e got.d ] && CCACHE_DEPEND=1 start env PF_CC=clang-19 "$pfcc" -MD -c counter.c -Iinclude -o got.o
exits 0 # no cache is there

# the cache underneath, by name and in place of the compiler
ccache -Cz >/dev/null
more=()
compare "PF_CC=ccache COMPILER" "$pfcc"
checks=$((checks + 1))
[ "$(hits)" -eq 6 ] || fail "six hits expected, not $(hits)"
mkdir masked
ln -s "$(command -v ccache)" masked/gcc
ln -s "$(command -v ccache)" masked/clang-19
for before in /dev/null masked; do # the full path, and the first on the way
    ccache -Cz >/dev/null
    if [ $before = masked ]; then
        compare PF_CC=COMPILER env PATH="$PWD/masked:$PATH" "$pfcc"
    else
        compilers=(gcc clang-19)
        compare PF_CC="$PWD/masked/COMPILER" "$pfcc"
        compilers=(gcc "gcc -O2" clang-19)
    fi
    checks=$((checks + 1))
    [ "$(hits)" -ge 4 ] || fail "hits expected"
done

# C++ of a launcher and a C compiler; and what the cache has made is a program
PF_CC="ccache clang-19" start "$pfcxx" --pf-show -c x.cpp
exits 0
grep -q '^ccache clang++-19 ' .out || fail "not the C++ compiler that belongs to it"
for i in 1 2; do
    PF_CC="ccache gcc" build ends ends.c -O1
    start ./ends
    exits 66
    races 1
done

# another plugin: the same paths, another installation
prefix=$PWD/installed
mkdir -p "$prefix/bin" "$prefix/lib"
cp -a "$(dirname "$pfcc")/../lib/photofinish" "$prefix/lib"
cp "$pfcc" "$prefix/bin"
identity() { "$prefix/bin/pfcc" -E counter.c -Iinclude | grep -o 'photofinish-[0-9a-f]*' | head -1; }
first=$(identity)
[ -n "$first" ] || fail "no identity"
[ "$(identity)" = "$first" ] || fail "the identity is not the same"
for file in photofinish_gcc.so in_place.s; do
    [ -e "$prefix/lib/photofinish/$file" ] || continue
    echo >>"$prefix/lib/photofinish/$file"
    checks=$((checks + 1))
    [ "$(identity)" != "$first" ] || fail "$file does not matter"
    first=$(identity)
done

# what is preprocessed for other purposes has nothing of it
[ "$("$pfcc" -E -P -Iinclude counter.c)" = "$(gcc -fsanitize=thread -E -P -Iinclude counter.c)" ] || fail "-E -P differs"
"$pfcc" -E -dM -x c /dev/null | grep -q photofinish && fail "-dM shows it"
done_testing
