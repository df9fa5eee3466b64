about="libmicrohttpd: an HTTP server as a library, with its thread-pool and thread-per-connection tests (C)"
package=libmicrohttpd
needs="libcurl4-gnutls-dev pkg-config"

build() { ./configure --disable-https --disable-doc --disable-shared --enable-static --disable-nls && make -j1; }
check() {
    make -j1 -k -C src/microhttpd check
    make -j1 -k -C src/testcurl check
}
results() { grep -E '^(PASS|FAIL|XFAIL|SKIP|ERROR):'; }

work() {
    local test
    cd src/testcurl && make perf_get perf_get_concurrent >/dev/null 2>&1
    for test in perf_get perf_get_concurrent; do ./$test >/dev/null 2>&1 && echo "$test ok"; done
}
