about="7-Zip: LZMA2 and match finders in threads, events of its own (C++)"
package=p7zip
needs=""

build() { make -j1 -C CPP/7zip/Bundles/Alone7z -f makefile.gcc CC="$CC" CXX="$CXX" MY_ASM= USE_ASM= IS_X64= CFLAGS_BASE_LIST="-c -g" LFLAGS_STRIP= CFLAGS_WARN_WALL=; }
# It has no tests but its benchmark, which checks what it unpacks; two threads, the smallest dictionary.
check() { CPP/7zip/Bundles/Alone7z/_o/7zr b 1 -mmt2 -md18; }
results() { sed -n 's/^\(Tot\|Avr\):.*/\1/p; /[Ee]rror/p'; }

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
