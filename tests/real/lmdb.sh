about="LMDB: a B-tree in mapped memory, readers without locks beside one writer (C)"
package=lmdb
needs=""

build() { make -j1 -C libraries/liblmdb liblmdb.a CC="$CC" OPT="$CFLAGS"; }
build_tests() {
    make -j1 -C libraries/liblmdb mtest mdb_stat CC="$CC" OPT="$CFLAGS" &&
        "$CC" $CFLAGS -Ilibraries/liblmdb "$recipes/../../bench/real/lmdb.c" libraries/liblmdb/liblmdb.a -o lmdb_threads -pthread
}
# Of random keys: only that it comes to its end is the same every time.
check() { cd libraries/liblmdb && rm -rf testdb && mkdir testdb && ./mtest >/dev/null && ./mdb_stat testdb >/dev/null && echo passed; }
results() { grep passed; }

work() { rm -f work.mdb* && ./lmdb_threads work.mdb 4 100; }
