usual=6000 # orders
workload() { command=(./jansson_threads "$threads" "$size"); }
build_work() { "$CC" $CFLAGS -Iout/include "$real/jansson.c" out/lib/libjansson.a -o jansson_threads -pthread; }
