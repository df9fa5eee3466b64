usual=8 # megabytes
make_input() { some_text "$size"; }
workload() { command=(programs/zstd -q -T"$threads" -6 -B262144 -c "$input"); }
