# pfcc --pf-static: the runtime inside the program.
. "$(dirname "$0")/lib.sh"
tool_directory=$(dirname "$pfcc")

no_library() { checks=$((checks + 1)) && ! ldd "$1" | grep -qE "photofinish|tsan" || fail "$1 needs a library of ours"; }

# names of our own would get in the way of the program's
cat >names.c <<'END'
#include <stdio.h>
int thread_current(void) { return 1; }
int heap_add(void) { return 2; }
int out_text(void) { return 3; }
int thread_self = 4, shadow_base = 5;
int main(void)
{
    printf("%d\n", thread_current() + heap_add() + out_text() + thread_self + shadow_base);
    return 0;
}
END
# an instrumented library that is loaded by name
cat >plugin.c <<'END'
extern int shared;
void plug(void) { shared++; }
END
cat >host.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include "unseen.h"
int shared;
static void (*plug)(void);
static void *other(void *unused)
{
    plug();
    unseen_signal(1);
    return unused;
}
int main(void)
{
    pthread_t t;
    plug = (void (*)(void))dlsym(dlopen("./plugin.so", RTLD_NOW), "plug");
    pthread_create(&t, 0, other, 0);
    unseen_wait(1);
    plug();
    pthread_join(t, 0);
    return 0;
}
END
# two libraries that bring the shared runtime along; the second one also brings the C++ library, which the first has not
cat >two.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void (*first)(int *) = (void (*)(int *))dlsym(dlopen("./first.so", RTLD_NOW), "first");
    void (*second)(int *) = (void (*)(int *))dlsym(dlopen("./second.so", RTLD_NOW), "second");
    int count = 0;
    first(&count);
    second(&count);
    printf("count %d\n", count);
    return 0;
}
END
echo 'void first(int *count) { ++*count; }' >first.c
cat >second.cpp <<'END'
#include <thread>
extern "C" void second(int *count)
{
    std::thread([count] { ++*count; }).join();
}
END
# a program that replaces one form of operator new, and one that brings its own malloc
cat >replaces.cpp <<'END'
#include <cstdio>
#include <cstdlib>
#include <new>
static int calls;
void *operator new(std::size_t size)
{
    calls++;
    return malloc(size);
}
void operator delete(void *block) noexcept
{
    calls += 100;
    free(block);
}
int main()
{
    delete[] new int[10];
    delete new int;
    ::operator delete(::operator new(3, std::nothrow), std::nothrow);
    std::printf("%d\n", calls);
}
END
cat >own_malloc.cpp <<'END'
#include <cstdio>
#include <cstddef>
#include <new>
static char memory[1 << 20];
static std::size_t used;
static int calls;
extern "C" void *malloc(std::size_t size)
{
    used = (used + 15) & -16;
    used += size;
    return memory + used - size;
}
extern "C" void free(void *block)
{
    calls += block != nullptr;
}
int main()
{
    int *array = new int[10];
    bool inside = (char *)array >= memory && (char *)array < memory + sizeof memory;
    int before = calls;
    delete[] array;
    std::printf("%d %d\n", inside, calls - before);
}
END

for compiler in gcc clang-19; do
    cxx=g++
    [ $compiler = gcc ] || cxx=clang++-19
    export PF_CC=$compiler PF_CXX=$cxx
    build ends ends.c -O1 --pf-static
    no_library ends
    start ./ends
    exits 66
    races 1
    says "#0 race .*/ends.c:[0-9]+ \(ends\+0x" # the helper was found
    start ./ends clean
    exits 7
    complains_not
    start env -i ./ends _exit
    exits 66
    says "#0 race .*/ends.c:[0-9]+ \(ends\+0x"
    run run --json=out.json ./ends
    exits 66
    json out.json races 1
    run run --detector=vc ./ends
    exits 64
    build locks locks.c -O1 --pf-static
    start ./locks
    exits 66
    says "\(mutexes: write M1, read M2, write M3\):$"
    build last_bytes last_bytes.c -O1 --pf-static
    { start ./last_bytes fault; } 2>/dev/null
    exits 139
    races 1
    build names ./names.c --pf-static
    start ./names
    exits 0
    prints 15
    build plugin.so ./plugin.c -O1 -shared -fPIC --pf-static
    no_library plugin.so
    build host ./host.c -O1 -I"$live/../programs" --pf-static -rdynamic -ldl
    no_library host
    start ./host
    exits 66
    races 1
    says "#0 plug .*plugin.c:2 \(plugin.so\+0x"
    build first.so ./first.c -O1 -shared -fPIC
    build second.so ./second.cpp -O1 -shared -fPIC
    build two ./two.c -O1 --pf-static
    start ./two
    exits 0
    prints "count 2"
    complains_not
    for how in --pf-static ""; do
        build heap heap.cpp -O0 -std=c++17 $how
        start ./heap delete-array drop-first
        exits 66
        says "^    #0 operator delete\[\]\(void\*\) <null>$"
        build replaces ./replaces.cpp $how -O0
        start ./replaces
        exits 0
        prints 303
        build fails "$live/../programs/new_fails_norace.cpp" -std=c++20 -static-libstdc++ $how # none that is shared
        start ./fails
        exits 0
        build own_malloc ./own_malloc.cpp $how -O0
        start ./own_malloc # its blocks are not seen
        exits 64
        says "^photofinish: malloc\\(\\) is part of the program"
        prints "1 1"
    done
done
unset PF_CC PF_CXX

# programs without a dynamic linker are refused in one line, compiling for them is not
for option in -static -static-pie; do
    start "$tool_directory/pfcc" $option names.c -o names
    exits 64
    complains "pfcc: $option: a program without a dynamic linker cannot be checked (--pf-static puts only the race detector into it)"
    start "$tool_directory/pfcc" $option -c names.c
    exits 0
done
done_testing
