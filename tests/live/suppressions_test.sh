# Suppressions: every type, templates, sources, counts; a suppressed race does not change the exit status.
. "$(dirname "$0")/lib.sh"
build libplace.so library.c -O2 -shared -fPIC
build places places.cpp -O1 ./libplace.so -Wl,-rpath,.

quiet() { # SUPPRESSION SHAPE: it hides the race, both ways of starting
    printf '%s\n' "$1" >file
    PHOTOFINISH_OPTIONS=suppressions=file start ./places "$2"
    exits 0
    races 0
    complains_not
    run run --suppressions=file --json=out.json ./places "$2"
    exits 0
    races 0
    says "^Photofinish: reported 0 warnings, and [0-9]+ suppressed$"
    local said
    said=$(grep " suppressed$" .err)
    run report out.json
    prints "$said"
}

loud() { # SUPPRESSION SHAPE: it does not
    printf '%s\n' "$1" >file
    PHOTOFINISH_OPTIONS=suppressions=file start ./places "$2"
    exits 66
    races 1
}

# race: function, file, module of any frame of both stacks and of the thread's creation, and the variable
quiet "race:deposit" method
quiet "race:^bank::Account::deposit(int)\$" method
quiet "race:places.cpp" method
quiet "race:^main\$" method
quiet "race:*/libplace.so" library
quiet "race:libplace.so\$" library
quiet "race:library_write" library
quiet "race:plain_global" global
quiet "race:^plain_global\$" global
quiet "race:bank*dep*it" method
quiet "race:bank::account" method
loud "race:^deposit" method
loud "race:deposit\$" method
loud "race:no_such_function" method
loud "race:plain_globals" global

# race_top: the innermost frame only
quiet "race_top:deposit" method
quiet "race_top:^inside\$" library
loud "race_top:^main\$" method
loud "race_top:library_write" library

# called_from_lib: the library that makes the access
quiet "called_from_lib:libplace.so" library
loud "called_from_lib:libother.so" library

# the other types are read, and say nothing about races
for type in thread mutex signal deadlock; do
    loud "$type:*" method
done

# comments, blanks, line ends of other systems
printf '# a comment\n\n   race:deposit  \r\n' >file
PHOTOFINISH_OPTIONS=suppressions=file start ./places method
exits 0
races 0
# TSan's variable, and a file beside the program
mkdir -p there
TSAN_OPTIONS=suppressions=$PWD/file start ./places method
exits 0
build ends ends.c -O1
echo "race:^writer\$" >beside
(cd there && TSAN_OPTIONS=suppressions=beside ../ends >../.out 2>../.err)
status=$? command_line="../ends, with the file beside the program"
exits 0
# the program's own
build defaults defaults.c -O1
start ./defaults plain
exits 0
start ./defaults
exits 33

# what is wrong with a file is said before the program runs
echo "races:deposit" >file
PHOTOFINISH_OPTIONS=suppressions=file start ./places method
exits 64
complains "photofinish: file:1: not a suppression (there is no such type): races:deposit"
run run --suppressions=file ./places method
exits 64
complains "photofinish: file:1: not a suppression (there is no such type): races:deposit"
printf '# fine\n\nrace:\n' >file
PHOTOFINISH_OPTIONS=suppressions=file start ./places method
exits 64
complains "photofinish: file:3: not a suppression (there is nothing after the colon): race:"
run run --suppressions=file ./places method
exits 64
complains "photofinish: file:3: not a suppression (there is nothing after the colon): race:"
echo "deposit" >file
PHOTOFINISH_OPTIONS=suppressions=file start ./places method
exits 64
complains "photofinish: file:1: not a suppression (no type and colon): deposit"
PHOTOFINISH_OPTIONS=suppressions=/ start ./places method
exits 64
complains "photofinish: cannot read suppressions file '/'"
PHOTOFINISH_OPTIONS=suppressions=/ run run ./places method
exits 64
grep -qxF "photofinish: cannot read suppressions file '/'" .err || fail "it is not said that a directory is no file"
PHOTOFINISH_OPTIONS=suppressions=nowhere start ./places method
exits 64
complains "photofinish: cannot read suppressions file 'nowhere'"

# counts, and halt_on_error, which a suppressed race does not trigger
build many many.c -O1
printf 'race:^one$\nrace:^two$\n' >file
PHOTOFINISH_OPTIONS=suppressions=file:print_suppressions=1 start ./many
exits 66
races 1
says "^Photofinish: Matched 2 suppressions \(pid=[0-9]+\):$"
says "^1 race:\^one\\$"
says "^1 race:\^two\\$"
PHOTOFINISH_OPTIONS=suppressions=file:halt_on_error=1 start ./many
exits 66
races 1
says "global 'three'"
run run --suppressions=file --json=out.json ./many
exits 66
json out.json races 1
json out.json suppressed 2

# those that matched nothing are listed
printf 'race:^one$\nrace:^nobody$\nmutex:x\nrace_top:^nowhere$\n' >file
for how in "./many" "$tool run ./many" "./ends clean"; do
    PHOTOFINISH_OPTIONS=suppressions=file:print_suppressions=1 start $how
    says "^Photofinish: Unused suppressions:$"
    says "^race:\^nobody\\$"
    says "^race_top:\^nowhere\\$"
    says_not "^mutex:x"
done
says "^race:\^one\\$"
PHOTOFINISH_OPTIONS=print_suppressions=1 run run --suppressions=file ./many
says "^race:\^nobody\\$"
says_not "^race:\^one\\$"
run run --suppressions=file ./many
says_not "Unused"

# race_pair: both stacks, and the variable
quiet "race_pair:^bank::Account::deposit(int)\$ <-> deposit" method
quiet "race_pair:* <-> deposit" method
loud "race_pair:deposit <-> ^main\$" method
loud "race_pair:deposit" method
quiet "race_pair:* <-> * on ^plain_global\$" global
loud "race_pair:* <-> * on plain_globals" global
loud "race_pair:* <-> * on plain_global" method

# a suppression for each race hides it, and only it
run run --gen-suppressions=made ./many
exits 66
races 3
[ "$(wc -l <made)" -eq 3 ] || fail "expected 3 suppressions"
run run --suppressions=made ./many
exits 0
races 0
for line in 1 2 3; do
    sed -n "${line}p" made >one
    run run --suppressions=one ./many
    exits 66
    races 2
    sed "${line}d" made >others
    run run --suppressions=others ./many
    exits 66
    races 1
    PHOTOFINISH_OPTIONS=suppressions=others start ./many
    races 1
done
for shape in method library global; do
    run run --gen-suppressions=made ./places $shape
    exits 66
    run run --suppressions=made ./places $shape
    exits 0
    races 0
done

# of two races of the same functions, on blocks that different functions have allocated, it hides one; and no line comes twice
cat >blocks.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static int *one, *two;
__attribute__((noinline)) static int *make_one(void) { return malloc(64); }
__attribute__((noinline)) static int *make_two(void) { return malloc(64); }
__attribute__((noinline)) static void set(int *p)
{
    p[0] = 1;
    p[4] = 2;
}
static void *run(void *which)
{
    set(which == NULL ? one : two);
    return NULL;
}
static void twice(void *which)
{
    pthread_t a, b;
    pthread_create(&a, NULL, run, which);
    pthread_create(&b, NULL, run, which);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
int main(int count, char **argument)
{
    one = make_one();
    two = make_two();
    twice(NULL);
    if (count > 1)
        twice(argument);
    return 0;
}
END
build blocks ./blocks.c -O1
PHOTOFINISH_OPTIONS=suppress_equal_stacks=0 run run --gen-suppressions=made ./blocks
exits 66
[ "$(wc -l <made)" -eq 1 ] || fail "expected one suppression"
grep -qxF 'race_pair:^set$ <- ^run$ <-> ^set$ <- ^run$ allocated in ^make_one$ <- ^main$' made || fail "another line: $(cat made)"
PHOTOFINISH_OPTIONS=suppress_equal_stacks=0 run run --suppressions=made ./blocks
exits 0
PHOTOFINISH_OPTIONS=suppress_equal_stacks=0 run run --suppressions=made ./blocks both
exits 66
says "^    #0 make_two "
says_not "^    #0 make_one "
run run --gen-suppressions ./many
says "^race_pair:"
run run --gen-suppressions=/nowhere/file ./many
exits 64
run run --gen-suppressions= ./many
exits 64
complains "photofinish: run: --gen-suppressions needs a value"

# a path with a line end: shown as %0A, in one line, and a suppression can say it so
mkdir $'odd\nname'
cp "$live/locks.c" $'odd\nname/locks.c'
sed -i "s|../programs/|$live/../programs/|" $'odd\nname/locks.c'
build odd $'./odd\nname/locks.c' -O1
start ./odd
exits 66
races 1
says "^    #0 [a-z]+ /.*/odd%0Aname/locks.c:[0-9]+ \\(odd\\+0x[0-9a-f]+\\)$"
says "^SUMMARY: Photofinish: data race /.*/odd%0Aname/locks.c:[0-9]+ in main$"
says_not "^name/"
printf 'race:odd%%0Aname/locks.c\n' >file
run run --suppressions=file ./odd
exits 0
run run --json=odd.json --github ./odd
exits 66
[ "$(grep -c '^::error file=odd%250Aname/locks.c,line=' .out)" -eq 1 ] || fail "the annotation is not one line"
[ "$(grep -vc '^::' .out)" -eq 0 ] || fail "a line that is no annotation"
run report --text odd.json
prints "odd%0Aname/locks.c:"
done_testing
