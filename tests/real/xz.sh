about="xz with threads: liblzma's coders, one mutex a worker (C)"
package=xz-utils
needs=""

configure() { ./configure --disable-nls --disable-doc --enable-static --disable-shared; }
build() { make -j1; }
check() { make -k check; }
results() { grep -E '^(PASS|FAIL|XFAIL|SKIP|ERROR):'; }

work() {
    some_text 8 >text
    src/xz/xz -k -T4 -1 --block-size=262144 -c text >text.xz
    src/xz/xz -d -T4 -c text.xz | cmp - text && echo same
    cksum <text.xz
}
