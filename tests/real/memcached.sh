about="memcached: worker threads, item locks, background threads (C)"
package=memcached
needs="libevent-dev"

build() { ./configure --disable-docs --disable-coverage && make -j1 memcached memcached-debug testapp sizes timedrun; }
check() {
    ./testapp
    prove t/00-startup.t t/cas.t t/incrdecr.t t/flush-all.t t/getset.t t/item_size_max.t t/lru.t t/noreply.t t/touch.t t/stats.t
}
results() { grep -E '^(ok|not ok)|\.\. (ok|skipped|Failed)|^Result:'; }

work() {
    some_text 1 | tr ' ' '\n' | grep . | head -1500 >words
    ./memcached -p 22122 -U 0 -t 4 -u "$(id -un)" -m 8 &
    local server=$! client
    until (exec 3<>/dev/tcp/127.0.0.1/22122) 2>/dev/null; do :; done
    for client in 1 2 3 4; do
        {
            exec 3<>/dev/tcp/127.0.0.1/22122
            awk '{ printf "set %s 0 0 %d\r\n%s\r\nget %s\r\nincr n 1\r\n", $1, length($0), $0, $1 } END { printf "stats\r\nquit\r\n" }' words >&3
            cat <&3 | grep -c STORED
        } &
    done >stored
    wait $(jobs -p | grep -v "^$server\$")
    kill "$server" && wait "$server"
    sort stored
}

known=(
    "* limited_get: real: limited_get() reads refcount without the item's lock"
    "limited_get *: real: limited_get() reads refcount without the item's lock"
    "do_item_* item_remove: real: it_flags is written under the item's lock and read without (ITEM_key looks at ITEM_CAS)"
    "do_item_* process_get_command: real: it_flags is written under the item's lock and read without"
    "do_item_* lru_pull_tail: real: it_flags is written under the item's lock, read under the LRU's only"
    "? lru_pull_tail: real: the same, its place no longer known"
    "lru_pull_tail process_get_command: real: slabs_clsid moves to another LRU while a get counts its hit"
    "clock_handler do_item_*: real: stats_state.curr_items is read without the lock of the statistics"
    "item_is_flushed process_*flush*: real: settings.oldest_live is written without a lock"
    "do_cache_* threadlocal_stats_aggregate: real: what a worker has cached is read without its lock"
    "main sig_handler: real: stop_main_loop is a plain int, and the signal may arrive in any thread"
    "do_item_*link_q item_free: real: assertions in item_free() look at the LRU's ends without its lock"
    "? process_get_command: real: it_flags again, its place no longer known"
    "? item_remove: real: it_flags again, its place no longer known"
    "conn_new main: real: main() reads stats_state.curr_conns without the lock of the statistics"
    "main process_verbosity_command: real: settings.verbose is a plain int"
    "conn_close conn_close: real: close_reason is cleared after the descriptor was closed, when the entry may be another connection's"
    "do_item_* make_ascii_get_suffix: real: it_flags is written under the item's lock and read without"
    "do_item_update lru_maintainer_*: real: the item's time is written under its lock, read under the LRU's only"
    "sig_handler sig_handler: real: stop_main_loop is a plain int, and signals may arrive in any thread"
    "clock_handler *: real: current_time is a volatile int"
)
