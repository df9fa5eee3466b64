# Locks inside an allocator order nothing for the program, wherever the allocator comes from; what the program does
# while it allocates (a signal handler, the new-handler) does.
. "$(dirname "$0")/lib.sh"
ways="malloc calloc realloc memalign aligned_alloc posix_memalign new new[]"
libraries=$(dirname "$(gcc -print-file-name=libjemalloc.so.2)")

found() { # the one race, on `shared`
    exits 66
    races 1
    says "Location is global 'shared'"
}

unseen() { # LIBRARY: its blocks are, so that a clean end is none
    exits 64
    says "^photofinish: malloc\(\) is that of .*/$1, which precedes Photofinish: blocks of memory are not seen"
}

gcc -O1 -g -shared -fPIC "$live/allocator.c" -o liballocator.so || fail "does not build"
build libchecked.so allocator.c -O1 -shared -fPIC
build allocators allocators.cpp -O1
for allocator in allocator checked; do
    build linked allocators.cpp -O1 -L. "-l$allocator" -Wl,-rpath,"$PWD"
    for way in $ways dlsym; do
        start ./linked "$way"
        found
    done
    for way in signal new-handler; do
        start ./linked $way
        exits 0
        complains_not
    done
done
for way in $ways dlsym; do
    start env LD_PRELOAD="$PWD/liballocator.so" ./allocators "$way"
    found
done

# what an allocator has other libraries do, unless somebody else needs these, too
gcc -O1 -g -shared -fPIC "$live/brought.c" -o libbrought.so || fail "does not build"
gcc -O1 -g -shared -fPIC "$live/allocator.c" -DBROUGHT -o libbringing.so -L. -lbrought -Wl,-rpath,"$PWD" || fail "does not build"
build linked allocators.cpp -O1 -L. -lbringing -Wl,-rpath,"$PWD"
build linked-with-both allocators.cpp -O1 -L. -lbringing -Wl,--no-as-needed -lbrought -Wl,-rpath,"$PWD"
for way in $ways; do
    start ./linked "$way"
    found
    start env LD_PRELOAD="$PWD/libbringing.so" ./allocators "$way"
    found
    start env LD_PRELOAD="$PWD/libbringing.so" ./linked-with-both "$way"
    unseen libbringing.so
done

# allocators that programs are linked with, or started with
cat >clean.c <<'END'
#include <stdlib.h>

int main(void)
{
    free(malloc(100));
    return 0;
}
END
build clean "$PWD/clean.c" -O1
for allocator in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
    [ -e "$libraries/$allocator" ] || fail "$allocator is missing: tools/setup test installs it"
    build linked allocators.cpp -O1 "$libraries/$allocator"
    for way in $ways; do
        start ./linked "$way"
        found
        start env LD_PRELOAD="$libraries/$allocator" ./allocators "$way"
        found
    done
    start env LD_PRELOAD="$libraries/$allocator" ./clean
    unseen "$allocator"
    start env LD_PRELOAD="$libraries/$allocator" "$tool" run ./clean
    exits 0
done
done_testing
