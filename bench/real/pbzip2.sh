# Megabytes. libbz2, which does the work, is Debian's and not instrumented.
usual=6
make_input() { some_text "$size"; }
workload() { command=(./pbzip2 -p"$threads" -1 -b1 -c "$input"); }
