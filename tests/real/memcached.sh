about="memcached: worker threads, item locks, background threads (C)"
package=memcached
needs="libevent-dev"

build() { ./configure --disable-docs && make -j1; }
check() {
    ./testapp
    prove t/basic*.t t/cas.t t/flush*.t t/incrdecr.t t/lru*.t t/stats*.t t/touch.t t/slabs*.t t/noreply.t t/multiversioning.t
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
