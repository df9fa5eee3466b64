usual=3 # megabytes
make_input() { some_text "$size"; }
# Blocks of 256 KB.
workload() { command=(./zpaq add "$result.zpaq" "$input" -method 40 -threads "$threads"); }
# The blocks, whose names have dates in them; the index, which has more of those, comes last.
digest() { head -c "$(($(stat -c %s "$1.zpaq") * 9 / 10))" "$1.zpaq" | LC_ALL=C sed 's/jDC[0-9]*/jDC/g'; }
