# bench/live on programs that are right, wrong, racy, that crash and that never end: each is shown as what it is.
. "$(dirname "$0")/lib.sh"
bin=$(dirname "$pfcc")
mkdir -p root/bench/programs out
cp "$live"/../../bench/programs/program.h root/bench/programs/

program() { # NAME BODY [GROUP]
    printf '#include "program.h"\n%s\n' "$2" >"root/bench/programs/$1.c"
    echo "$1 ${3:-good} 100 # a size" >>root/bench/programs/list
}
main='int main(int argc, char **argv) { program_begin(argc, argv, 1000);'
echo "# a comment" >root/bench/programs/list
program right "static volatile int x; $main for (size_t i = 0; i < size * 1000; i++) x = 1; return 0; }"
program wrong "$main return program_end(\"the answer\", 41, 42); }" bad
program crashes "$main __builtin_trap(); }" bad
program endless "static volatile int x; $main for (;;) x = 1; }" bad
program racy "static int x; static void work(unsigned me) { x += (int)me; } $main program_run(work); return 0; }" bad

measure() {
    start "$bin/pf-bench" live out --root root --build "$bin/.." --runs 1 --timeout "$(limit 2)" --threads 2 "$@"
}
holds() { # PATTERN [FILE]
    checks=$((checks + 1))
    grep -qE -- "$1" "out/${2:-live}.csv" || fail "${2:-live}.csv lacks: $1"
}

measure --tools gcc-ours,redcard --only right
exits 0
holds '^right,good,2,gcc,right,1,0,'
holds '^right,good,2,gcc-ours,right,1,0,0,[0-9.]+,[0-9.]+,[0-9.]+,[0-9.]+,'
json out/live.json means/good/gcc-ours/cells 1
json out/live.json cells/0/tools/gcc/result right
prints "No tool reports a race"

measure --tools gcc-ours
exits 1
holds '^right,good,2,gcc-ours,right,1,0,'
holds '^wrong,bad,2,gcc-ours,WRONG,1,0,0,,,'
holds '^crashes,bad,2,gcc-ours,CRASH,'
holds '^endless,bad,2,gcc-ours,TIMEOUT,'
holds '^racy,bad,2,gcc-ours,right,1,1,'
json out/live.json means/all/gcc-ours/left_out 3
prints "racy           2         1"

# One cell again: the others stay.
sed -i 's/41, 42/42, 42/' root/bench/programs/wrong.c
measure --update --tools gcc-ours --only wrong
holds '^wrong,bad,2,gcc-ours,right,1,0,'
holds '^endless,bad,2,gcc-ours,TIMEOUT,'

# The thesis' tables: a loop that reads and writes 100,000 numbers, which is two checks for each of them, or one for all.
work='static void work(unsigned me) { for (int i = 0; me == 0 && i < 100000; i++) a[i]++; }' # not before there are threads
program loop "static int a[100000]; $work $main program_run(work); return 0; }" kernels
measure --only loop,right --tools fasttrack,redcard,clang-ours,slimcard,bigfoot
exits 0
holds '^loop,kernels,2,clang-ours,right,1,0,2000[0-9]{2},'
holds '^loop,kernels,2,redcard,right,1,0,2000[0-9]{2},'
holds '^loop,kernels,2,bigfoot,right,1,0,[0-9]{1,2},'
holds '^right,good,2,bigfoot,right,1,0,0,'
number='-?[0-9]+\.[0-9]{2}'
ratios="\\($number\\),\\($number\\),\\($number\\),\\($number\\)"
holds "^loop,2,1\.00,[1-9]\.[0-9]e-0[4-6],0\.[0-9]{3} s,$number,$number,$number,$number,$number,$ratios,-,-$" live_thesis_time
holds "^= kernels,,1\.00,[1-9]\.[0-9]e-0[4-6],,$number,$number,$number,$number,$number," live_thesis_time
holds "^right,2,-,-,0\.[0-9]{3} s,$number," live_thesis_time
holds "^= all,,1\.00," live_thesis_time
holds "^loop,2,[0-9.]+ MB,$number,$ratios,-,-$" live_thesis_memory
measure --show
exits 0
holds "^loop,2,1\.00,[1-9]\.[0-9]e-0[4-6]," live_thesis_time
measure --quick --runs 1 --threads 2 --only loop,right # has these tools for kernels only
exits 0
holds '^loop,kernels,2,slimcard,right,1,0,'
holds '^right,good,2,bigfoot,right,1,0,'
grep -q '^right,good,2,slimcard,' out/live.csv && fail "more is measured than was asked for"
# A part is the median of the turns' parts, here 0.8, 1.6 and 0.8; that of the medians would be 1.6.
mkdir -p kept
mv out/live.csv kept/
{
    head -1 kept/live.csv
    echo "right,good,2,clang,right,3,0,0,1,1,1,1,0,1,1 1 1,1 1 1,1 1 1"
    echo "right,good,2,clang-tsan,right,3,0,0,1,1,1,1,0,1,1 1 2,1 1 2,1 1 1"
    echo "right,good,2,bigfoot,right,3,0,0,1.6,1.6,1,1.6,0.6,1,0.8 1.6 1.6,0.8 1.6 1.6,1 1 1"
} >out/live.csv
measure --show
exits 0
holds '^right,2,1\.000 s,1\.00,1\.60,0\.80$' live_cpu
mv kept/live.csv out/
measure --count --only loop --tools fasttrack,clang-ours
exits 0
for tool in clang-ours fasttrack; do # every access is a check
    holds "^loop,2,$tool,0\.200,1\.000,0\.200,1\.000,[0-9.]+%,0\.0%," live_counts
done

measure --only unheard
exits 70
says "there is no program 'unheard'"
measure --tools unheard
exits 70
done_testing
