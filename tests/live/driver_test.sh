# pfcc and pfc++ in place of cc and c++: every mode of the driver that build systems use, with gcc and clang underneath.
. "$(dirname "$0")/lib.sh"

mkdir -p include
cat >include/shared.h <<'END'
#ifdef __cplusplus
extern "C" {
#endif
extern int shared;
void add(void);
#ifdef __cplusplus
}
#endif
END
cat >add.c <<'END'
#include "shared.h"
int shared;
void add(void) { shared++; }
END
cat >main.c <<'END'
#include <pthread.h>
#include <unistd.h>
#include "shared.h"
static void *other(void *argument) { add(); return argument; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    add();
    pthread_join(thread, NULL);
    return 0;
}
END
cat >calls.c <<'END'
#include <stdio.h>
#define CLOBBERED "memory", "cc", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"
static int called;
__attribute__((used)) static void count(void) { called = called * 10 + 1; }
int main(void)
{
    void (*const table[2])(void) = {count, count};
    long index = 1;
    __asm__ volatile("subq $128, %%rsp; call count; addq $128, %%rsp" : : : CLOBBERED);
    __asm__ volatile("subq $128, %%rsp; CALL\tcount; addq $128, %%rsp" : : : CLOBBERED);
    __asm__ volatile("subq $128, %%rsp; call \"count\"; addq $128, %%rsp" : : : CLOBBERED);
    __asm__ volatile("jmp 1f; .code32; call 1f; .code64; 1:");
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n\tcall *%0\n\tleaq 128(%%rsp), %%rsp" : : "r"(&count) : CLOBBERED);
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n\tcall *(%0,%1,8)\n\tleaq 128(%%rsp), %%rsp"
                     : : "r"(table), "r"(index) : CLOBBERED);
    __asm__ volatile(".intel_syntax noprefix\n\tsub rsp, 128\n\tcall count\n\tadd rsp, 128\n\t.att_syntax"
                     : : : CLOBBERED);
    table[index]();
    printf("%d\n", called);
}
END
cat >main.cc <<'END'
#include <thread>
#include "shared.h"
int main()
{
    std::thread thread(add);
    add();
    thread.join();
}
END

cc() { # ARG...: pfcc
    command_line="PF_CC=$compiler pfcc $*"
    PF_CC=$compiler "$pfcc" "$@" >.out 2>.err </dev/null
    status=$?
}
cxx() { # ARG...: pfc++, whose compiler follows from PF_CC
    command_line="PF_CC=$compiler pfc++ $*"
    PF_CC=$compiler "$pfcxx" "$@" >.out 2>.err </dev/null
    status=$?
}
tests_in_place() { # OBJECT
    works "$1"
    nm "$1" | grep -q ' U __pf_write4$' || fail "no test in place"
    nm "$1" | grep -qE ' U __tsan_(read|write)4$' && fail "a check is a call"
}
only_calls() { # OBJECT
    works "$1"
    nm "$1" | grep -q ' U __tsan_write4$' || fail "not instrumented"
    nm "$1" | grep -q ' U __pf_' && fail "a test in place"
}
works() { # FILE...: built without a word
    exits 0
    complains_not
    for file in "$@"; do
        [ -s "$file" ] || fail "no $file"
    done
}
racy() { # PROGRAM: runs, and has the race
    start "./$1"
    exits 66
    races 1
    rm -f "$1"
}

for compiler in gcc clang-19; do
    command -v "$compiler" >/dev/null || continue
    # compile, link
    cc -g -O1 -Iinclude -c add.c
    works add.o
    cc -g -O1 -Iinclude -c main.c -o main.o
    works main.o
    cc -pthread add.o main.o -o program
    works program
    racy program
    cc -pthread -o program main.o add.o # options first, objects last
    works program
    racy program
    # several inputs in one go, and to the default name
    cc -pthread -g -Iinclude main.c add.c
    works a.out
    racy a.out
    cc -c -Iinclude main.c add.c
    works main.o add.o
    cxx -pthread -g -Iinclude -x c++ main.cc -x c add.c -o program
    works program
    racy program
    cxx -pthread -g -Iinclude main.cc add.o -o program
    works program
    racy program
    # a shared library, and a program that is linked to it
    cc -g -O1 -Iinclude -fPIC -shared add.c -o libadd.so
    works libadd.so
    cc -g -Iinclude -pthread main.c -L. -ladd -Wl,-rpath,. -o program
    works program
    racy program
    cc -g -O1 -Iinclude -fPIC -c add.c -o pic.o
    works pic.o
    cc -shared -Wl,-soname,libadd.so -o libadd.so pic.o
    works libadd.so
    cxx -g -Iinclude -pthread main.cc libadd.so -Wl,-rpath,. -static-libgcc -o program
    works program
    racy program
    cxx -g -Iinclude -pthread main.cc add.c -static-libstdc++ -static-libgcc -o program
    [ "$status" -eq 0 ] || fail "does not build"
    racy program
    # an archive, -r, and the kinds of position
    rm -f libadd.a
    ar rc libadd.a add.o
    cc -pthread main.o -L. -l:libadd.a -o program
    works program
    racy program
    cc -r -nostdlib add.o main.o -o both.o
    works both.o
    cc -pthread both.o -o program
    works program
    racy program
    cc -g -Iinclude -pthread -no-pie -fno-pie main.c add.c -o program
    works program
    racy program
    cc -g -Iinclude -pthread -pie -fPIE main.c add.c -o program
    works program
    racy program
    # link-time optimization
    cc -g -O2 -flto -Iinclude -c add.c -o lto1.o
    cc -g -O2 -flto -Iinclude -c main.c -o lto2.o
    if [ "$compiler" = gcc ] || command -v ld.lld-19 >/dev/null || [ -e /usr/lib/llvm-19/lib/LLVMgold.so ]; then
        if cc -g -O2 -flto -pthread lto1.o lto2.o -o program && [ "$status" -eq 0 ]; then
            racy program
        elif [ "$compiler" = gcc ]; then
            fail "does not link with -flto"
        fi
    fi
    # preprocess, assemble, dependencies
    cc -E -Iinclude main.c
    exits 0
    complains_not
    prints "pthread_create"
    cc -E -dM -x c /dev/null
    exits 0
    prints "__SIZEOF_POINTER__"
    cc -S -Iinclude add.c
    works add.s
    grep -q __tsan_ add.s || fail "not instrumented"
    cc -c add.s -o from_assembly.o
    works from_assembly.o
    cc -pthread main.o from_assembly.o -o program
    works program
    racy program
    cc -MD -MF add.d -Iinclude -c add.c -o add.o
    works add.o add.d
    grep -q include/shared.h add.d || fail "no dependency"
    cc -MMD -MP -Iinclude -c add.c
    works add.d
    cc -M -Iinclude add.c
    exits 0
    prints "shared.h"
    cc -MM -Iinclude add.c
    exits 0
    prints "shared.h"
    cc -fsyntax-only -Iinclude add.c
    exits 0
    complains_not
    # a header by itself is precompiled; one that is included is none
    cc -g -pthread include/shared.h -o include/shared.h.gch
    works include/shared.h.gch
    rm include/shared.h.gch
    cc -g -pthread -x c-header include/shared.h -o include/shared.h.gch
    works include/shared.h.gch
    cc -g -pthread -Iinclude -include include/shared.h main.c add.c -o program
    works program
    racy program
    rm include/shared.h.gch
    cc -g -Iinclude -c main.c -o main.o
    cc -include include/shared.h -pthread main.o add.o -o program
    works program
    racy program
    # the test that answers most checks is in place of the call, unless asked not to, or gcc's assembler could not
    cc -O1 -Iinclude -c add.c -o add.o
    tests_in_place add.o
    cc -O1 --pf-calls -Iinclude -c add.c -o calls.o
    only_calls calls.o
    cc -pthread main.o calls.o -o program
    works program
    racy program
    cc -O1 -pipe -Iinclude -c add.c -o add.o
    tests_in_place add.o
    if [ "$compiler" = gcc ]; then
        printf -- '-pipe\n' >arguments
        cc -O1 @arguments -Iinclude -c add.c -o calls.o
        only_calls calls.o
        cc -O1 -masm=intel -Iinclude -c add.c -o calls.o
        only_calls calls.o
        # calls of the program's own, in every form
        cc -g -O1 -Iinclude -pthread calls.c add.c -o program
        works program
        start ./program
        exits 0
        prints 1111111
        printf '.globl nothing\nnothing: call 1f # comment\n1: popq %%rax\n ret\n' |
            PF_CC=gcc "$pfcc" -c -x assembler - -o nothing.o >.out 2>.err
        status=$?
        works nothing.o
        nm nothing.o | grep -q ' T nothing$' || fail "standard input is lost"
        printf '.macro CALL f\n call \\f\n.endm\n' >macro.S
        cc -c macro.S -o macro.o
        works macro.o
    fi
    # from standard input, from response files
    command_line="PF_CC=$compiler pfcc -x c -"
    PF_CC=$compiler "$pfcc" -Iinclude -c -x c - -o stdin.o <add.c >.out 2>.err
    status=$?
    works stdin.o
    command_line="PF_CC=$compiler pfcc -x c - -o program"
    cat add.c main.c | PF_CC=$compiler "$pfcc" -g -pthread -Iinclude -x c - -o program >.out 2>.err
    status=$?
    works program
    racy program
    printf '%s\n' -g -O1 -pthread '"-Iinclude"' main.c add.c -o program >arguments
    cc @arguments
    works program
    racy program
    printf -- '-c -Iinclude add.c -o response.o\n' >arguments
    cc @arguments
    works response.o
    printf -- '-shared -fPIC\n-Iinclude "add.c" -o libresponse.so\n' >arguments
    cc @arguments
    works libresponse.so
    printf -- '-static\n' >arguments
    cc @arguments add.c
    exits 64
    # questions about the compiler: the same answer as without us
    for question in --version -dumpversion -dumpmachine -print-search-dirs -print-prog-name=ld -print-libgcc-file-name \
        -print-file-name=libc.so.6 -print-multiarch --print-multi-lib; do
        "$compiler" $question >plain 2>/dev/null || continue
        cc $question
        exits 0
        [ "$question" = -print-search-dirs ] || diff plain .out >/dev/null || fail "another answer"
    done
    cc -v
    exits 0
    cc '-###' -Iinclude main.c add.c -o nothing
    exits 0
    [ ! -e nothing ] || fail "it was built"
    # no input, no such file, wrong options: the compiler's own message and status
    "$compiler" >.plain.out 2>.plain.err
    plain=$?
    cc
    exits $plain
    cc nowhere.c
    [ "$status" -ne 0 ] || fail "found nowhere.c"
    says "nowhere.c"
    echo "int f(" >broken.c
    cc -c broken.c
    [ "$status" -ne 0 ] || fail "compiled"
    says "broken.c:1"
    # warnings as errors, the strictest set: what we add is not warned about
    cc -std=c11 -Wall -Wextra -Werror -pedantic -Iinclude -c main.c
    works main.o
    cxx -std=c++20 -Wall -Wextra -Werror -pedantic -Iinclude -c main.cc -o main_cc.o
    works main_cc.o
    cc -Wall -Werror -pthread main.o add.o -o program
    works program
    racy program
    # paths with blanks, other directories
    mkdir -p "a b"
    cp add.c "a b/add it.c"
    cc -g -Iinclude -c "a b/add it.c" -o "a b/add it.o"
    works "a b/add it.o"
    cc -pthread main.o "a b/add it.o" -o "a b/program"
    works "a b/program"
    start "./a b/program"
    exits 66
    # what cannot be is refused, in one line
    cc -static -Iinclude main.c add.c
    exits 64
    complains "pfcc: -static: a program without a dynamic linker cannot be checked (--pf-static puts only the race detector into it)"
    cc -static -c -Iinclude add.c
    exits 0
    rm -f ./*.o ./*.d ./*.s lib*
done

# which C++ compiler belongs to PF_CC
for pair in clang-19:clang++-19 gcc:g++ /usr/bin/gcc-12:/usr/bin/g++-12 x86_64-linux-gnu-gcc:x86_64-linux-gnu-g++ cc:c++; do
    command_line="PF_CC=${pair%:*} pfc++ --pf-show" status=0 checks=$((checks + 1))
    PF_CC=${pair%:*} "$pfcxx" --pf-show x.cc >.out
    [ "$(cut -d' ' -f1 .out)" = "${pair#*:}" ] || fail "not ${pair#*:}"
done
PF_CC=clang-19 PF_CXX=g++ "$pfcxx" --pf-show x.cc >.out
[ "$(cut -d' ' -f1 .out)" = g++ ] || fail "PF_CXX does not hold"

# which compiler gets which pass
plugin=$(dirname "$pfcc")/../lib/photofinish/photofinish_gcc.so
shows() { # COMPILER OPTION...: how many plugins of gcc's
    command_line="PF_CC=$1 pfcc ${*:2}" checks=$((checks + 1))
    PF_CC=$1 "$pfcc" --pf-show "${@:2}" -c x.c 2>.err | grep -o -- '-fplugin=[^ ]*photofinish_gcc.so' | wc -l
}
ln -s "$(command -v gcc)" another-name
printf '#!/bin/sh\nexec gcc "$@"\n' >a-wrapper && chmod +x a-wrapper
if [ -e "$plugin" ]; then
    for compiler in gcc gcc-12 "$PWD/another-name"; do
        [ "$(shows "$compiler")" = 1 ] || fail "no plugin"
        [ "$(shows "$compiler" --placement=redcard)" = 1 ] || fail "no plugin, though asked for"
        [ "$(shows "$compiler" --placement=bigfoot)" = 1 ] || fail "no plugin, though asked for"
        [ "$(shows "$compiler" --placement=every)" = 0 ] || fail "a plugin, though not wanted"
    done
    for compiler in ./a-wrapper clang-19 clang-14 nothing-of-the-kind; do
        [ "$(shows "$compiler")" = 0 ] || fail "a plugin for another compiler"
    done
fi
compiler=gcc
cc --placement=slimcard -c add.c
exits 64
complains "pfcc: --placement=slimcard: needs clang 19 underneath: PF_CC=clang-19"
cc --placement=bigfeet -c add.c
exits 64
complains "pfcc: --placement=bigfeet: is one of every, redcard, slimstate, slimcard, bigfoot"
cc --pf-remarks -c add.c
exits 64
complains "pfcc: --pf-remarks: is about where checks are placed with clang 19: PF_CC=clang-19"
compiler=./a-wrapper
cc --placement=redcard -c add.c
exits 64
complains "pfcc: --placement=redcard: needs clang 19 underneath, or the gcc that Photofinish was built with"

# what is shown can be given to a shell
printf 'const char *text = TEXT;\n' >"it's.c"
compiler=gcc
cc --pf-show '-DTEXT="a $b"' -c "it's.c" -o "an object"
exits 0
eval "$(cat .out)" || fail "does not compile"
grep -qF 'a $b' "an object" || fail "the text is not in it"
done_testing
