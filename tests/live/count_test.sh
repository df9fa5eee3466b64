# The library that counts what it does (src/base/count.h): the counts are right, and no other prints any.
. "$(dirname "$0")/lib.sh"
counting=$(dirname "$pfcc")/../lib/photofinish-count
counts() { says "^  $1 $2\$"; }

for compiler in gcc clang-19; do
    export PF_CC=$compiler
    placement=--pf-calls # a test in place is not counted
    [ $compiler = clang-19 ] && placement="$placement --placement=every"
    build counted counted.c -O1 $placement
    start ./counted
    exits 0
    complains_not
    start env LD_LIBRARY_PATH="$counting" ./counted # it has one thread: nothing is checked, and the shadow stays empty
    exits 0
    says "^Photofinish: counted\$"
    counts accesses 1064
    counts same-epoch 1064
    counts slow-checks 0
    export PHOTOFINISH_OPTIONS=check_single_threaded=1
    start env LD_LIBRARY_PATH="$counting" ./counted
    exits 0
    counts accesses 1064
    counts single-threaded 0
    counts same-epoch 999
    counts sync-operations 20
    counts joins 0
    counts joins-skipped 9 # a thread knows what it released itself
    counts check-ratio '1\.000' # nothing waits to be checked with others
    counts same-epoch-share '0\.939'
    counts slow-path-share '0\.0[01][0-9]' # at most the first access of each word
    unset PHOTOFINISH_OPTIONS
done

# Fields that are checked together, by a call each time.
cat >fields.c <<'END'
struct pixel { unsigned char red, green, blue, alpha; } pixels[100];
__attribute__((noinline)) int sum(const struct pixel *p)
{
    int all = 0;
    for (int i = 0; i < 10; i++)
        all += p[i].red + p[i].green + p[i].blue + p[i].alpha;
    return all;
}
int main(void)
{
    __asm__ volatile("" : : "r"(sum(pixels)));
    return 0;
}
END
build fields "$PWD/fields.c" -O1 --placement=bigfoot --pf-calls
start env LD_LIBRARY_PATH="$counting" ./fields
exits 0
counts accesses 40
counts in-loops 40
counts loops-checked 1
done_testing
