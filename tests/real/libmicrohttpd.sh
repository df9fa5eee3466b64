about="libmicrohttpd: an HTTP server as a library, with its thread-pool and thread-per-connection tests (C)"
package=libmicrohttpd
needs="libcurl4-gnutls-dev pkg-config"

# Of its 90 test programs those that start a daemon, one or two of each kind: they build and run in minutes.
# Not test_quiesce, which wants an answer within 150 ms: on a busy machine it fails now and then.
of_library="test_start_stop test_daemon test_options test_client_put_shutdown test_client_put_close test_client_put_hard_close
    test_client_put_chunked_steps_close test_client_put_chunked_steps_hard_close test_shutdown_select test_shutdown_poll"
with_curl="test_get test_get_close test_get11 test_put11 test_add_conn test_add_conn_nolisten test_add_conn_cleanup
    test_process_headers test_get_chunked test_put_chunked test_callback test_post11 test_urlparse test_long_header11
    test_iplimit11 test_termination test_get_wait test_concurrent_stop"

build() { ./configure --disable-https --disable-doc --disable-shared --enable-static --disable-nls && make -j1; }
check() {
    make -j1 -k -C src/microhttpd check check_PROGRAMS="$(echo $of_library)"
    make -j1 -k -C src/testcurl check check_PROGRAMS="$(echo $with_curl)"
}
results() { grep -E '^(PASS|FAIL|XFAIL|SKIP|ERROR):'; }

work() {
    local test
    cd src/testcurl && make perf_get perf_get_concurrent >/dev/null 2>&1
    for test in perf_get perf_get_concurrent; do ./$test >/dev/null 2>&1 && echo "$test ok"; done
}

known=(
    "MHD_* MHD_stop_daemon: real: daemon->shutdown is a volatile bool"
    "MHD_stop_daemon internal_get_fdset2: real: daemon->shutdown is a volatile bool"
    "MHD_stop_daemon thread_main_handle_connection: real: daemon->shutdown is a volatile bool"
    "MHD_* MHD_quiesce_daemon: real: was_quiesced and listen_socket_in_epoll are bools, written without a lock"
    "MHD_quiesce_daemon MHD_select: real: was_quiesced is a bool, written without a lock"
    "MHD_quiesce_daemon internal_get_fdset2: real: was_quiesced is a bool, written without a lock"
    "call_handlers internal_run_from_select: real: a connection's thread looks at data_already_pending before it looks whether that is meant for it; the listening thread clears it"
    "MHD_add_connection MHD_cleanup_connections: real: daemon->connections is written under cleanup_connection_mutex and read without"
    "MHD_add_connection new_connection_process_: real: the same"
    "MHD_cleanup_connections new_connection_prepare_: real: the same"
    "new_connection_prepare_ new_connection_process_: real: the same"
    "MHD_epoll internal_add_connection: real: have_new is written under new_connections_mutex and read without"
    "MHD_poll_* internal_add_connection: real: the same"
    "internal_add_connection internal_run_from_select: real: the same"
    "close_all_connections internal_add_connection: real: a thread that was busy when a connection was added sees daemon->shutdown, and takes new connections off their list without its mutex"
    "new_connection_close_ new_connection_prepare_: real: the same: it closes and frees the connection"
    "stop_watchdog thread_watchdog: real, in the test: watchdog_continue is a volatile int"
    "test* thread_gets: real, in the test: continue_requesting and signal_done are volatile ints"
    "thread_gets thread_gets: real, in the test: client_error is a volatile int"
    "do_gets testExternalGet: real, in the test: signal_done is a volatile int"
)
