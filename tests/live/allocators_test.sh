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

cat >clean.c <<'END'
#include <stdlib.h>

int main(void)
{
    void *volatile block = malloc(100);
    free(block);
    return 0;
}
END
# one that is part of the program: its locks cannot be told from the program's, so that a clean end is none. What only passes calls on
# to the next malloc() is no allocator
gcc -O1 -g -c "$live/allocator.c" -o allocator.o || fail "does not build"
archives=()
for archive in jemalloc tcmalloc_minimal mimalloc; do
    archive=$(gcc -print-file-name="lib$archive.a")
    [[ $archive == /* ]] && archives+=("$archive")
done
cat >passes.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
void *malloc(size_t size)
{
    static void *(*next)(size_t);
    if (next == NULL)
        next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    return next(size);
}
END
gcc -O1 -c passes.c || fail "does not build"
part="^photofinish: malloc\(\) is part of the program, which calls no other: what it locks may hide races"
ar rcs liballocator.a allocator.o
for archive in ./liballocator.a "${archives[@]}"; do
    build whole allocators.cpp -O1 -Wl,--whole-archive "$archive" -Wl,--no-whole-archive
    start ./whole malloc
    [ "$status" = 64 ] || [ "$status" = 66 ] || fail "$archive: looks clean"
    says "$part"
    run run ./whole malloc
    [ "$status" = 64 ] || [ "$status" = 66 ] || fail "$archive: looks clean"
done
build passing allocators.cpp -O1 "$PWD/passes.o"
start ./passing malloc
found
says_not "$part"
build passing "$PWD/clean.c" -O1 ./passes.o
start ./passing
exits 0
complains_not

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
