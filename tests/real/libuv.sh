about="libuv: event loops, a thread pool, pipes, signals, processes; its own tests (C)"
package=libuv1
needs="cmake netbase"

build() { cmake -S . -B out -DCMAKE_BUILD_TYPE= -DCMAKE_C_FLAGS="$CFLAGS" -DLIBUV_BUILD_TESTS=ON && make -j1 -C out uv_run_tests_a; }
check() { UV_RUN_AS_ROOT=1 UV_TEST_TIMEOUT_MULTIPLIER=20 timeout 900 out/uv_run_tests_a; }
results() { grep -E '^(not )?ok ' | sed -E 's/ - / /; s/^((not )?ok) [0-9]+/\1/'; }

work() {
    local test
    for test in threadpool_queue_work_simple thread_mutex thread_rwlock condvar_1 condvar_2 barrier_1 semaphore_1 \
        async_null_cb loop_alive fs_file_async queue_foreach_delete getaddrinfo_concurrent; do
        UV_RUN_AS_ROOT=1 out/uv_run_tests_a "$test" >/dev/null 2>&1 && echo "$test ok"
    done
}

known=(
    "uv__signal_compare uv__signal_start: real: uv__handle_start() sets a bit in handle->flags after the signal lock was given up; other loops read flags in the tree under it"
    "test_fs_partial thread_main: real, in the test: memcmp() of what the other thread reads from the pipe, before it is joined"
    "uv__recvmsg uv__recvmsg: real, in the test: two loops in two threads get the same static slab to read into"
    "loop_creating_worker run_test_signal_multiple_loops: real, in the test: stop is a volatile int"
)
