usual=6000 # keys, in each thread
make_input() { :; }
workload() {
    command=(out/db_bench --db="$result.db" --threads="$threads" --num="$size" --write_buffer_size=200000
        --benchmarks=fillrandom,readrandom,overwrite,readrandom,compact)
}
# How many of the keys that were looked for were there.
digest() { grep -o '([0-9]* of [0-9]* found)' "$1"; }
