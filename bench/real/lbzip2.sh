usual=6 # megabytes
make_input() { some_text "$size"; }
workload() { command=(src/lbzip2 -n"$threads" -1 -c "$input"); }
