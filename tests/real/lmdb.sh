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

known=(
    "mdb_find_oldest *: real, and meant so: the writer looks into the table of readers, who write it without its lock"
    "* mdb_find_oldest: real, and meant so: the same"
    "mdb_env_reader_dest *: real, and meant so: a thread that ends clears its entry of that table"
    "? mdb_env_reader_dest: real, and meant so: the same"
    "? mdb_txn_renew0: real: one of these, its place no longer known"
    "mdb_env_write_meta mdb_txn_renew0: real, and meant so: readers take the number of the last transaction without a lock, and check it again"
    "mdb_txn_end mdb_txn_renew0: real: all writing transactions share one MDB_txn, whose flags are read before the writers' lock is taken"
    "mdb_txn_renew0 mdb_txn_renew0: real: me_live_reader is a plain int that the first reader sets; and the flags again"
)
