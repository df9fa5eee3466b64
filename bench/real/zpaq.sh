usual=3 # megabytes
make_input() { some_text "$size"; }
# Blocks of 256 KB.
workload() { command=(./zpaq add "$result.zpaq" "$input" -method 40 -threads "$threads"); }
# The archive has dates in it. Extracting has a race of its own, and a status that says so.
digest() {
    ./zpaq extract "$1.zpaq" "$input" -to "$1.again" -force >/dev/null 2>&1 || true
    cat "$1.again"
}
