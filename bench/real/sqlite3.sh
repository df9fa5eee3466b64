usual=4000 # rows, in each thread
workload() { command=(./sqlite3_threads "$threads" "$size"); }
build_work() { "$CC" $CFLAGS -I. "$real/sqlite3.c" engine.o -o sqlite3_threads -pthread -lm; }
