usual=600 # rounds
make_input() { :; }
workload() { command=(./lmdb_threads "$result.mdb" "$threads" "$size"); }
build_work() { "$CC" $CFLAGS -Ilibraries/liblmdb "$real/lmdb.c" libraries/liblmdb/liblmdb.a -o lmdb_threads -pthread; }
