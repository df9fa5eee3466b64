about="zpaq: blocks in threads, semaphores of its own, models of contexts (C++)"
package=zpaq
needs=""

# Without what it compiles while it runs, whose accesses would not be seen.
build() { make -j1 zpaq CXX="$CXX" CPPFLAGS="-Dunix -DNOJIT" CXXFLAGS="$CXXFLAGS"; }
check() { make check CXX="$CXX" CPPFLAGS="-Dunix -DNOJIT" CXXFLAGS="$CXXFLAGS" && echo same; }
results() { grep -x same; }

work() {
    some_text 2 >text
    rm -f text.zpaq
    ./zpaq add text.zpaq text -method 40 -threads 4 >/dev/null 2>&1
    ./zpaq extract text.zpaq text -to text.again -threads 4 -force >/dev/null 2>&1
    cmp text text.again && echo same
}

known=(
    "decompressThread* decompressThread*: real: job.maxMemory is compared and written without the job's lock"
)
