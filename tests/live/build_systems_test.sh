# pfcc and pfc++ as the compilers of make, CMake, autotools and Meson: a program in C and one in C++, a shared and a static
# library, with whatever those ask of a compiler before they use it. A tool that is not installed is left out, and said.
. "$(dirname "$0")/lib.sh"
PATH=$(dirname "$pfcc"):$PATH
export CC=pfcc CXX=pfc++ PF_CC

mkdir project
cd project || exit 1
cat >count.h <<'END'
#ifdef __cplusplus
extern "C" {
#endif
int count(void);
int twice(int number);
#ifdef __cplusplus
}
#endif
END
cat >count.c <<'END'
#include "count.h"
static int counted;
int count(void) { return ++counted; }
END
cat >twice.c <<'END'
#include "count.h"
int twice(int number) { return 2 * number; }
END
cat >program.c <<'END'
#include <pthread.h>
#include "count.h"
static void *other(void *argument) { count(); return argument; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    count();
    pthread_join(thread, NULL);
    return twice(0);
}
END
cat >program_cc.cc <<'END'
#include <thread>
#include "count.h"
int main()
{
    std::thread thread(count);
    count();
    thread.join();
    return twice(0);
}
END
cat >Makefile <<'END'
CFLAGS = -g -O2 -Wall -Werror -fPIC -MMD
CXXFLAGS = $(CFLAGS)
LDLIBS = -lpthread
LDFLAGS = -L. -Wl,-rpath,'$$ORIGIN'
all: program program_cc
libcount.so: count.o
	$(CC) -shared $(LDFLAGS) $^ -o $@
libtwice.a: libtwice.a(twice.o)
program: program.o libcount.so libtwice.a
program_cc: program_cc.o libcount.so libtwice.a
	$(CXX) $(LDFLAGS) $^ $(LDLIBS) -o $@
END
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(counting C CXX)
set(CMAKE_BUILD_TYPE RelWithDebInfo)
set(CMAKE_CXX_STANDARD 17)
find_package(Threads REQUIRED)
include(CheckCSourceRuns)
check_c_source_runs("int main(void) { return 0; }" RUNS)
if(NOT RUNS)
  message(FATAL_ERROR "programs do not run")
endif()
include(CheckIPOSupported)
check_ipo_supported(RESULT ipo OUTPUT why LANGUAGES C)
add_library(count SHARED count.c)
add_library(twice STATIC twice.c)
add_executable(program program.c)
add_executable(program_cc program_cc.cc)
target_link_libraries(program count twice Threads::Threads)
target_link_libraries(program_cc count twice Threads::Threads)
END
cat >configure.ac <<'END'
AC_INIT([counting], [1.0])
AM_INIT_AUTOMAKE([foreign subdir-objects])
AM_PROG_AR
AC_PROG_CC
AC_PROG_CXX
LT_INIT
AC_CHECK_HEADERS([pthread.h stdlib.h])
AC_CHECK_FUNCS([nanosleep])
AC_SEARCH_LIBS([pthread_create], [pthread])
AC_C_BIGENDIAN
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
cat >Makefile.am <<'END'
lib_LTLIBRARIES = libcount.la
libcount_la_SOURCES = count.c count.h
noinst_LTLIBRARIES = libtwice.la
libtwice_la_SOURCES = twice.c
bin_PROGRAMS = program program_cc
program_SOURCES = program.c
program_LDADD = libcount.la libtwice.la
program_cc_SOURCES = program_cc.cc
program_cc_LDADD = libcount.la libtwice.la
check_PROGRAMS = quiet
quiet_SOURCES = quiet.c
quiet_LDADD = libtwice.la
TESTS = quiet
END
cat >quiet.c <<'END'
#include "count.h"
int main(void) { return twice(0); }
END
cat >meson.build <<'END'
project('counting', 'c', 'cpp', default_options: ['buildtype=debugoptimized', 'warning_level=3', 'werror=true'])
threads = dependency('threads')
compiler = meson.get_compiler('c')
assert(compiler.has_function('pthread_create', dependencies: threads), 'no threads')
assert(compiler.run('int main(void) { return 0; }').returncode() == 0, 'programs do not run')
shared = shared_library('count', 'count.c')
static = static_library('twice', 'twice.c')
executable('program', 'program.c', link_with: [shared, static], dependencies: threads)
executable('program_cc', 'program_cc.cc', link_with: [shared, static], dependencies: threads)
test('quiet', executable('quiet', 'quiet.c', link_with: static))
END
cd ..

build_with() { # NAME COMMAND...: in a copy of the project
    command_line="$1 with PF_CC=$PF_CC" status=0
    rm -rf work
    cp -r project work
    (cd work && set -e && eval "$2") >.out 2>.err
    status=$?
    exits 0
}
racy() { # DIRECTORY
    for program in program program_cc; do
        start "./work/$1/$program"
        exits 66
        races 1
        says "#0 count "
    done
}

for PF_CC in gcc clang-19; do
    command -v "$PF_CC" >/dev/null || continue
    build_with make "rm configure.ac; make"
    racy .
    build_with "CMake and make" "cmake -S . -B out -G 'Unix Makefiles' && cmake --build out"
    racy out
    if command -v ninja >/dev/null; then
        build_with "CMake and ninja" "cmake -S . -B out -G Ninja && cmake --build out"
        racy out
    else
        echo "ninja is not installed: left out"
    fi
    if command -v autoreconf >/dev/null && command -v automake >/dev/null && command -v libtoolize >/dev/null; then
        build_with autotools "rm Makefile && autoreconf -i && ./configure && make && make check && make install DESTDIR=\$PWD/root"
        racy .
        grep -q "PASS: *1" .out work/test-suite.log || fail "its test did not pass"
    else
        echo "autotools are not installed: left out"
    fi
    if command -v meson >/dev/null && command -v ninja >/dev/null; then
        build_with Meson "meson setup out && meson compile -C out && meson test -C out"
        racy out
    else
        echo "meson is not installed: left out"
    fi
done
done_testing
