about="zstd with threads: a thread pool, job tables, buffer pools (C)"
package=libzstd
needs=""

build() {
    local flags=(HAVE_ZLIB=0 HAVE_LZMA=0 HAVE_LZ4=0 ZSTD_LEGACY_SUPPORT=0)
    make -j1 -C programs zstd "${flags[@]}" && make -j1 -C tests poolTests zstreamtest "${flags[@]}"
}
check() {
    tests/poolTests
    tests/zstreamtest -s7 -i80 -t1
    tests/zstreamtest --newapi -s7 -i20 -t1
}
results() { tr '\r' '\n' | grep -E 'PASS|Error|OK|tests completed' | sed 's/ ([0-9.]* s*).*//; s/in [0-9.]* sec//'; }

work() {
    some_text 12 >text
    programs/zstd -q -T4 -3 -B262144 -f -c text >text.zst
    programs/zstd -q -d -c text.zst | cmp - text && echo same
    programs/zstd -q -T4 --long -6 -B524288 -f -c text | programs/zstd -q -d -c | cmp - text && echo same
    cksum <text.zst
}
