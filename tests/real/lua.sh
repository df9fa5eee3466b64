about="Lua: an interpreter in each thread, and a queue that they share (C)"
package=lua5.4
needs=""

# Debian's Makefile wants libtool, and a header that its rules make; the library is all of the sources but the programs.
configure() { echo '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"' >src/lua5.4-deb-multiarch.h; }
build() {
    local source
    cd src || return
    for source in *.c; do
        case $source in
        lua.c | luac.c) ;;
        *) "$CC" $CFLAGS -DLUA_COMPAT_5_3 -DLUA_USE_LINUX -c "$source" || return ;;
        esac
    done
    ar rc liblua.a *.o && cd ..
}
build_tests() {
    "$CC" $CFLAGS -Isrc "$recipes/../../bench/real/lua.c" src/liblua.a -o lua_threads -pthread -lm
}
check() { :; } # not part of the source
results() { cat; }

work() { some_text 1 | ./lua_threads 4 1000; }
