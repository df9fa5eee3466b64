about="RE2: patterns that threads share, with caches of states that they fill together (C++)"
package=re2
needs="perl python3 python3-six unicode-data"

configure() { make -j1 REBUILD_TABLES=1 re2/perl_groups.cc re2/unicode_casefold.cc re2/unicode_groups.cc; }
build() { make -j1 obj/libre2.a CXX="$CXX" CXXFLAGS="$CXXFLAGS -std=c++17"; }
build_tests() {
    make -j1 CXX="$CXX" CXXFLAGS="$CXXFLAGS -std=c++17" "${tests[@]/#/obj/test/}" &&
        "$CXX" $CXXFLAGS -std=c++17 -I. "$recipes/../../bench/real/re2.cc" obj/libre2.a -o re2_threads -pthread
}
# Some of its tests: the others take minutes to build, and start no threads.
tests=(re2_test search_test set_test)
check() {
    local test
    for test in "${tests[@]}"; do obj/test/$test | grep -q PASS && echo "$test PASS" || echo "$test FAIL"; done
}
results() { grep -E '^[a-z0-9_]+ (PASS|FAIL)$'; }

work() { some_text 1 | ./re2_threads 4 1000; }
