usual=4 # megabytes
make_input() { some_text "$size"; }
workload() { command=(src/xz/xz -T"$threads" -1 --block-size=262144 -c "$input"); }
