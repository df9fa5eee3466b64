about="7-Zip: LZMA2 and match finders in threads, events of its own (C++)"
package=p7zip
needs=""

build() { make -j1 -C CPP/7zip/Bundles/Alone7z -f makefile.gcc CC="$CC" CXX="$CXX" MY_ASM= USE_ASM= IS_X64= CFLAGS_BASE_LIST="-c -g" LFLAGS_STRIP= CFLAGS_WARN_WALL=; }
check() { CPP/7zip/Bundles/Alone7z/_o/7zr b 1 -mmt4 -md18; }
results() { grep -c '^Tot:'; }

work() {
    local program=CPP/7zip/Bundles/Alone7z/_o/7zr
    some_text 6 >text && rm -f text.7z
    $program a -mmt4 -mx3 -m0=lzma2:c256k text.7z text >/dev/null && echo packed
    $program t -mmt4 text.7z >/dev/null && echo tested
    $program e -so -mmt4 text.7z | cmp - text && echo same
}
