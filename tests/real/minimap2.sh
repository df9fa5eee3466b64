about="minimap2: a pipeline of threads, each step of which is one of many that steal work (C)"
package=minimap2
needs="zlib1g-dev libsimde-dev"

# The vector instructions are the compiler's own, and their accesses are seen.
build() { make -j1 minimap2 CC="$CC" CFLAGS="$CFLAGS" CPPFLAGS=-DHAVE_KALLOC; }
check() { :; } # a script that looks at the help
results() { cat; }

work() {
    ./minimap2 -t 4 test/MT-human.fa test/MT-orang.fa 2>/dev/null | cksum
    ./minimap2 -t 4 -a test/MT-human.fa test/MT-orang.fa 2>/dev/null | grep -v ^@PG | cksum
}

known=(
    "ktf_worker steal_work: real: a thread without work compares the others' counters by plain reads"
    "steal_work steal_work: real: the same"
)
