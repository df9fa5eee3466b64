about="nginx with a thread pool for files (C)"
package=nginx
needs="curl"

build() { ./configure --with-cc="$CC" --with-cc-opt="$CFLAGS" --with-threads --without-http_rewrite_module --without-http_gzip_module --with-debug && make -j1; }

# configuration MORE: a folder to serve from, with a thread pool for files.
configuration() {
    rm -rf served && mkdir -p served/logs served/html
    some_text 1 >served/html/text
    cat >served/conf <<END
daemon off;
pid pid;
$1
thread_pool default threads=4;
events { worker_connections 128; }
http {
    access_log logs/access;
    server { listen 127.0.0.1:22080; root html; aio threads; directio 4k; output_buffers 2 64k; }
}
END
}
until_served() { until curl -s -o /dev/null 127.0.0.1:22080/text; do :; done; }

# What Debian's tests of the package do (debian/tests/generic), without installing it: a page after start, after reload
# and after restart. nginx's own tests are a project of their own, not in the package.
check() {
    local nginx=(objs/nginx -p "$PWD/served/" -c conf) when
    configuration "user $(id -un) $(id -gn); worker_processes 2;"
    "${nginx[@]}" -t
    for when in start restart; do
        "${nginx[@]}" 2>/dev/null &
        until_served
        curl -s --fail -o got -w "after $when: %{http_code}\n" 127.0.0.1:22080/text && cmp got served/html/text && echo OK
        if [ $when = start ]; then
            "${nginx[@]}" -s reload
            curl -s --fail -o got -w "after reload: %{http_code}\n" 127.0.0.1:22080/text && cmp got served/html/text && echo OK
        fi
        "${nginx[@]}" -s quit
        wait $! && echo "stopped"
    done
}
results() { grep -E '^(after|OK|stopped|.*test is successful)' | sed 's/.*configuration file [^ ]*//'; }

work() {
    configuration "master_process off; worker_processes 1;"
    objs/nginx -p "$PWD/served/" -c conf >/dev/null 2>&1 &
    local server=$! i
    until_served
    for i in $(seq 60); do
        curl -s -Z 127.0.0.1:22080/text 127.0.0.1:22080/text?a 127.0.0.1:22080/none 2>/dev/null | cksum | cut -d' ' -f2
    done | sort | uniq -c
    kill -QUIT "$server" && wait "$server"
}

# One cause: when it exits, the main thread waits for each thread of the pool to clear a volatile word on its stack.
known=(
    "ngx_thread_pool_destroy ngx_thread_pool_exit_handler: real: a thread of the pool says by a volatile word that it is gone"
    "ngx_thread_cond_wait ngx_thread_mutex_destroy: real: so the mutex is destroyed with no order after the last thread's use of it"
    "ngx_destroy_pool ngx_thread_pool_*: real: nor is the freeing of the memory the pool is in"
)
