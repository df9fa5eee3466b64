about="Tcl: interpreters in threads, the notifier's thread, an allocator with a cache for each thread (C)"
package=tcl8.6
needs="tcl-thread" # Tcl's commands for threads: Debian's own library, which is not instrumented

build() { cd unix && ./configure --enable-threads --disable-shared && make -j1 binaries tcltest; }

# Of 150 files of tests, those of threads and a few others; without tests that fail on a busy machine, because tens of
# milliseconds pass between two commands.
check() {
    export TCL_LIBRARY=$PWD/library TCLLIBPATH
    TCLLIBPATH=$(thread_library)
    cd unix && ./tcltest ../tests/all.tcl -verbose bps -skip 'event-1\[1-4\].*' \
        -file 'thread.test unixNotfy.test event.test proc.test string.test'
}
results() { grep -E '^(\+\+\+\+|==== .* FAILED|all.tcl:)'; }

thread_library() { dirname "$(dirname "$(dpkg -L tcl-thread | grep pkgIndex.tcl)")"; }

work() {
    export TCL_LIBRARY=$PWD/library TCLLIBPATH
    TCLLIBPATH=$(thread_library)
    unix/tclsh - <<'END'
package require Thread
set pool [tpool::create -minworkers 4 -maxworkers 4 -initcmd {
    proc primes {from to} {
        set n 0
        for {set i $from} {$i < $to} {incr i} {
            set prime 1
            for {set j 2} {$j * $j <= $i} {incr j} { if {$i % $j == 0} { set prime 0; break } }
            incr n $prime
        }
        tsv::incr found all $n
        tsv::lappend found words [string toupper [format %x $n]]
        return [list $from $n [regexp -all {[0-9]} "$from $to"] [clock format 0 -gmt 1]]
    }
}]
tsv::set found all 0
foreach from {2 1000 2000 3000 4000 5000 6000 7000} {
    lappend jobs [tpool::post $pool [list primes $from [expr {$from + 1000}]]]
}
foreach job $jobs { tpool::wait $pool $job; puts [tpool::get $pool $job] }
puts "[tsv::get found all] [lsort [tsv::get found words]]"
tpool::release $pool

set other [thread::create -joinable { thread::wait }]
puts [thread::send $other { set x 0; foreach i {1 2 3} { after 1 {incr ::x}; vwait ::x }; set x }]
set file [open text.tmp w+]
puts $file hello
seek $file 0
thread::transfer $other $file
puts [thread::send $other [list gets $file]]
thread::send $other [list close $file]
thread::release $other
thread::join $other
file delete text.tmp
END
}

known=(
    "GetBlocks GetBlocks: real, and meant so: the number of free blocks in the shared cache is read before its lock is taken, and again after"
    "GetBlocks PutBlocks: real, and meant so: the same"
    "? GetBlocks: real, and meant so: the same, its place no longer known"
    "? PutBlocks: real, and meant so: the same, its place no longer known"
    "Tcl_MutexLock Tcl_MutexLock: real: a mutex is made by who locks it first: double-checked locking with plain accesses"
    "? Tcl_MutexLock: real: the same, its place no longer known"
    "NRCommand Tcl_AsyncMark: real: asyncReady is a plain int"
    "Tcl_AsyncMark Tcl_Async*: real: asyncReady is a plain int"
    "TclDeleteExecEnv TclDeleteExecEnv: real: cachedInExit is a plain int that every interpreter's end writes"
    "* Tcl_UtfToLower: real: the empty string, which all threads share, gets its final 0 anew"
    "Tcl_UtfToLower *: real: the same"
    "NotifierThreadProc Tcl_FinalizeNotifier: real: triggerPipe is closed before the lock is taken under which the notifier's thread, told to quit, writes it"
)
