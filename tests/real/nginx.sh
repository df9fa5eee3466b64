about="nginx with a thread pool for files (C)"
package=nginx
needs="curl"

build() { ./configure --with-cc="$CC" --with-cc-opt="$CFLAGS" --with-threads --without-http_rewrite_module --without-http_gzip_module --with-debug && make -j1; }
check() { :; } # its tests are a project of their own
results() { cat; }

work() {
    rm -rf served && mkdir -p served/logs served/html
    some_text 1 >served/html/text
    cat >served/conf <<'END'
daemon off;
master_process off;
worker_processes 1;
thread_pool default threads=4;
events { worker_connections 128; }
http {
    access_log logs/access;
    server { listen 127.0.0.1:22080; root html; aio threads; directio 4k; output_buffers 2 64k; }
}
END
    objs/nginx -p "$PWD/served/" -c conf >/dev/null 2>&1 &
    local server=$! i
    until curl -s -o /dev/null 127.0.0.1:22080/text; do :; done
    for i in $(seq 60); do curl -s 127.0.0.1:22080/text 127.0.0.1:22080/text?a 127.0.0.1:22080/none -Z | cksum | cut -d' ' -f2; done | sort | uniq -c
    kill -QUIT "$server" && wait "$server"
}
