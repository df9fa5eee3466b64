about="7-Zip: LZMA2 and match finders in threads, events of its own (C++)"
package=p7zip
needs=""

build() { make -j1 -C CPP/7zip/Bundles/Alone7z -f makefile.gcc CC="$CC" CXX="$CXX" MY_ASM= USE_ASM= IS_X64= CFLAGS_BASE_LIST="-c -g" LFLAGS_STRIP= CFLAGS_WARN_WALL=; }
# What Debian's tests of the package do, with 7zr in the place of 7z, which only knows more formats. Without the one that
# looks how 7z calls itself, and the benchmark, which measures for minutes.
check() {
    rm -rf tried && mkdir -p tried/bin
    local name
    for name in 7z 7za 7zr; do ln -s "$PWD/CPP/7zip/Bundles/Alone7z/_o/7zr" tried/bin/$name; done
    7zr() { tried/bin/7zr "$@"; }
    7zr >/dev/null && echo "smoke OK"
    7zr i | grep -c 'LZMA\|7z'
    PATH=$PWD/tried/bin:$PATH AUTOPKGTEST_TMP=$PWD/tried bash <(sed '/version-output/,/"OK"/d' debian/tests/p7zip-compat)
}
results() { grep -E '^\[|OK$|^[0-9]+$'; }

# Blocks in threads; then the match finder's threads, which wait for each other often, on less.
work() {
    local program=CPP/7zip/Bundles/Alone7z/_o/7zr
    rm -f *.7z
    some_text 4 >text
    head -c 200000 text >part
    $program a -mmt4 -mx3 -m0=lzma2:c256k text.7z text >/dev/null && echo packed
    $program t -mmt4 text.7z >/dev/null && echo tested
    $program e -so -mmt4 text.7z | cmp - text && echo same
    $program a -mmt2 -mx5 part.7z part >/dev/null && echo packed
    $program e -so part.7z | cmp - part && echo same
}

known=(
    "MtSync_StopWriting *: real: stopWriting is written before a semaphore is posted, and read after any wait for it"
    "* MtSync_StopWriting: real: stopWriting is written before a semaphore is posted, and read after any wait for it"
    "? CheckErrors: real: the hash thread, which runs ahead, writes the result of each read; the coder looks at it"
    "CheckErrors MatchFinder_ReadBlock: real: the same"
)
