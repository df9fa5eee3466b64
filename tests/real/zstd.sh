about="zstd with threads: a thread pool, job tables, buffer pools (C)"
package=libzstd
needs=""

flags=(HAVE_ZLIB=0 HAVE_LZMA=0 HAVE_LZ4=0 ZSTD_LEGACY_SUPPORT=0)
build() { make -j1 -C programs zstd "${flags[@]}"; }
build_tests() { make -j1 -C tests poolTests zstreamtest "${flags[@]}"; }
# The thread pool's tests whole; of the streaming fuzzer a few rounds (-t1 leaves out its unit tests, which take minutes of
# CPU time and start few threads).
check() {
    tests/poolTests
    tests/zstreamtest -s7 -i40 -t1
    tests/zstreamtest --newapi -s7 -i20 -t1
}
results() { tr '\r' '\n' | grep -E 'PASS|SUCCESS|FAIL|Error|tests completed'; }

work() {
    some_text 4 >text
    programs/zstd -q -T4 -3 -B262144 -f -c text >text.zst
    programs/zstd -q -d -c text.zst | cmp - text && echo same
    programs/zstd -q -T4 --long -6 -B524288 -f -c text | programs/zstd -q -d -c | cmp - text && echo same
    cksum <text.zst
}
