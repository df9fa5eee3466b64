about="bzip2 in parallel: queues with mutexes and condition variables (C++)"
package=pbzip2
needs="libbz2-dev"

# C++ as it was then: clang takes "%"PRIuMAX for a literal with a suffix.
build() { make -j1 CXX="$CXX" CC="$CC" CXXFLAGS="$CXXFLAGS -std=gnu++98 -D_FILE_OFFSET_BITS=64 -DUSE_STACKSIZE_CUSTOMIZATION -pthread"; }
check() { :; } # it has none
results() { cat; }

work() {
    some_text 12 >text
    ./pbzip2 -k -p4 -1 -b1 -c text >text.bz2
    ./pbzip2 -d -p4 -c text.bz2 | cmp - text && echo same
    cksum <text.bz2
}
