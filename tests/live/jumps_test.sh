# Stacks after jumps out of functions: longjmp, exceptions, also through C, pthread_exit, other stacks; with both compilers.
. "$(dirname "$0")/lib.sh"

stack() { # FUNCTION...: the race's first stack that begins in race() consists of these
    checks=$((checks + 1))
    local seen
    seen=$(sed -n '/#0 race/,/^$/p' .err | sed -En 's/^ *#[0-9]+ ([^ (]+).*/\1/p' | tr '\n' ' ')
    [ "$seen" = "$* " ] || fail "stack is: $seen"
}

for compiler in gcc clang-19; do
    cxx=g++
    [ $compiler = clang-19 ] && cxx=clang++-19
    export PF_CC=$compiler PF_CXX=$cxx
    for level in -O0 -O2; do
        "$pfcc" -g $level -c "$live/jumps_c.c" -o c.o || fail "does not build"
        build jumps jumps.cpp $level c.o
        for way in longjmp _longjmp siglongjmp alloca altstack; do
            start ./jumps $way
            exits 66
            races 1
            stack race jump_back first start
        done
        start ./jumps context
        exits 66
        races 1
        stack race on_other_stack
        start ./jumps context-end
        exits 66
        races 1
        stack race contexts first start
        for way in throw throw-c rethrow; do
            start ./jumps $way
            exits 66
            races 1
            stack race first start
        done
        for way in cleanup exit-cleanup; do
            start ./jumps $way
            exits 66
            races 1
            stack race cleaner::~cleaner middle first start
        done
    done
done
done_testing
