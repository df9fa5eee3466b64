about="sqlite3: connections in several threads, shared cache, its thread tests (C)"
package=sqlite3
needs="tcl tcl8.6-dev"

configure() { ./configure --disable-tcl --disable-readline --enable-threadsafe --disable-shared && make -j1 sqlite3.c sqlite3.h; }
build() { "$CC" $CFLAGS -DSQLITE_THREADSAFE=1 -DSQLITE_ENABLE_UNLOCK_NOTIFY=1 -DSQLITE_OMIT_LOAD_EXTENSION -I. -c sqlite3.c -o engine.o; }
build_tests() {
    "$CC" $CFLAGS -DSQLITE_THREADSAFE=1 -I. -Isrc -Itest test/threadtest3.c src/test_multiplex.c engine.o -o threadtest3 -pthread -lm &&
        "$CC" $CFLAGS -I. test/threadtest4.c engine.o -o threadtest4 -pthread -lm
}
# threadtest4 ends with "database schema is locked" now and then, without us too, for its connections share a cache: it has
# some tries.
threadtest4() {
    local try
    for try in 1 2 3 4 5 6; do
        if ./threadtest4 "$@" >tried 2>&1; then break; fi
    done
    cat tried
}

# Of threadtest3's tests those that run for 20 s at most; not walthread5, which is over when it has written and recovered
# 64 MB, minutes on a busy machine.
check() {
    local test
    threadtest4 --multithread 3
    threadtest4 --serialized 3
    for test in walthread1 cgt_pager_1 create_drop_index_1 lookaside1 shared1 stress1; do timeout 600 ./threadtest3 $test; done
}
results() { grep -E '^(Running|Joined|Total)|errors out of' | sed -E 's/[0-9]+ tests/N tests/'; }

work() {
    rm -f test.db*
    threadtest4 -wal 4 | grep -o '^Total [0-9]* errors'
}

known=(
    "? walIndexTryHdr: real, and meant so: the header of the WAL's index is copied while another connection may write it; two copies are compared then, and a checksum"
    "walIndexTryHdr walIndexWriteHdr: real, and meant so: the same"
    "walIndexWriteHdr walTryBeginRead: real, and meant so: the header is compared with the copy once more"
    "walCheckpoint walIndexWriteHdr: real, and meant so: the header's number of frames is looked at without the writer's lock"
    "? walTryBeginRead: real, and meant so: the same"
)
