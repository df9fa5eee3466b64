usual=4000 # lines of text
make_input() { some_text 1; }
workload() { command=(./lua_threads "$threads" "$size"); }
build_work() { "$CC" $CFLAGS -Isrc "$real/lua.c" src/liblua.a -o lua_threads -pthread -lm; }
