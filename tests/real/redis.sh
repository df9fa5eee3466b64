about="redis: one thread of commands, threads for input and output, background jobs (C)"
package=redis
needs="tcl procps pkg-config"

build() { make -j1 MALLOC=libc OPTIMIZATION=-O2 DEBUG=-g CC="$CC" V=1; }
check() { ./runtest --clients 1 --timeout 1200 --single unit/type/list --single unit/type/hash --single unit/auth --single unit/lazyfree --single unit/multi --config io-threads 3 --config io-threads-do-reads yes; }
results() { sed 's/\x1b\[[0-9;]*m//g' | grep -E '^\[(ok|err|exception|ignore|skip)' | sed -E 's/ \([0-9.]+ m?s\)//'; }

work() {
    src/redis-server --port 22379 --save '' --io-threads 4 --io-threads-do-reads yes --lazyfree-lazy-user-del yes --appendonly yes --dir "$PWD" >/dev/null 2>&1 &
    local server=$!
    until src/redis-cli -p 22379 ping 2>/dev/null | grep -q PONG; do :; done
    src/redis-benchmark -p 22379 --threads 4 -c 16 -P 4 -n 8000 -r 500 -q -t set,get,incr,lpush,lpop,sadd,hset,zadd >/dev/null 2>&1
    src/redis-cli -p 22379 bgrewriteaof >/dev/null
    src/redis-cli -p 22379 flushall async
    src/redis-cli -p 22379 shutdown nosave
    wait "$server"
    rm -rf appendonlydir
}

known=(
    "* counts_inc_normalised_atomic: real, in redis-benchmark: the first thread reads and clears the histogram plainly while the others count"
    "counts_inc_normalised_atomic hdr_*: real, in redis-benchmark: the first thread reads and clears the histogram plainly while the others count"
    "hdr_reset update_min_max_atomic: real, in redis-benchmark: the same"
    "hdr_* update_min_max_atomic: real, in redis-benchmark: the same"
)
