usual=10 # megabytes
make_input() { some_text "$size"; }
workload() { command=(programs/zstd -q -T"$threads" -9 -B524288 -c "$input"); }
