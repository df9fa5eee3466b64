usual=9000 # rounds of each connection
# Own keys, and keys that all connections set to the same and read; a counter that all increment.
make_input() {
    echo -en "add hits 0 0 1 noreply\r\n0\r\n"
    some_text 1 | awk -v rounds="$size" '
        BEGIN { for (i = 1; i <= 400; i++) printf "set all%d 0 0 6\r\n%06d\r\n", i, i }
        NR <= rounds {
            printf "set @%d 0 0 %d\r\n%s\r\n", NR % 1500, length($0), $0
            printf "get @%d all%d all%d\r\n", NR % 1500, NR % 400 + 1, NR * 7 % 400 + 1
            printf "append @%d 0 0 4\r\nmore\r\nincr hits 1 noreply\r\nget @%d\r\n", NR % 1500, NR % 1000
            if (NR % 5 == 0) printf "delete @%d\r\n", NR % 1500
        }
        END { printf "quit\r\n" }'
}
workload() {
    start_client memcached.socket $'get hits\r\nquit\r\n' $'shutdown\r\n'
    command=(./memcached -A -s memcached.socket -t "$threads" -m 256 -u "$(id -un)")
}
digest() { cat "$1.answers"; }
build_work() { build_client; }
