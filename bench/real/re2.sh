usual=30000 # lines
make_input() { some_text 3; }
workload() { command=(./re2_threads "$threads" "$size"); }
build_work() { "$CXX" $CXXFLAGS -std=c++17 -I. "$real/re2.cc" obj/libre2.a -o re2_threads -pthread; }
