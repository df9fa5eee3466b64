about="Tcl: interpreters in threads, the notifier's thread (C)"
package=tcl8.6
needs=""

build() { cd unix && ./configure --enable-threads --disable-shared && make -j1 binaries tcltest; }
check() { cd unix && make test TESTFLAGS="-file 'unixNotfy.test thread.test event.test io.test timer.test chanio.test mutex.test proc.test string.test'"; }
results() { grep -E '^(==== .* FAILED|[a-zA-Z]*\.test|all.tcl:|Tests ended|.*Total)' | grep -v 'ended at'; }

work() { cd unix && ./tcltest ../tests/thread.test 2>&1 | grep Total; }
