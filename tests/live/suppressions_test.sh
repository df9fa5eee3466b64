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
    run run --suppressions=file ./places "$2"
    exits 0
    races 0
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
complains "photofinish: failed to parse suppressions: races:deposit"
run run --suppressions=file ./places method
exits 64
complains "photofinish: file:1: not a suppression: races:deposit"
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
done_testing
