about="libuv: event loops, a thread pool, pipes, signals, processes; its own tests (C)"
package=libuv1
needs="cmake netbase"

build() { cmake -S . -B out -DCMAKE_BUILD_TYPE= -DCMAKE_C_FLAGS="$CFLAGS" -DLIBUV_BUILD_TESTS=ON && make -j1 -C out uv_run_tests_a; }
check() { (cd out && timeout 900 ./uv_run_tests_a); }
results() { grep -E '^(not )?ok ' | sed -E 's/ - / /; s/^((not )?ok) [0-9]+/\1/'; }

work() {
    local test
    for test in threadpool_queue_work_simple thread_mutex thread_rwlock condvar_1 condvar_2 barrier_1 semaphore_1 \
        async_null_cb loop_alive fs_file_async queue_foreach_delete getaddrinfo_concurrent; do
        out/uv_run_tests_a "$test" "$test" >/dev/null 2>&1 && echo "$test ok"
    done
}
