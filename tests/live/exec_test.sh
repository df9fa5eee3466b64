# A program that becomes another one after a race: the exit status tells of the race all the same.
. "$(dirname "$0")/lib.sh"
build exec exec.c -O1
for way in execl execle execlp execv execve execvp execvpe fexecve execveat execveat-empty execve-by-number execveat-by-number; do
    start ./exec $way
    exits 3
    prints "became"
    complains_not
    start ./exec $way race
    exits 66
    races 1
    prints_nothing
    says "^photofinish: exit status 66 instead of exec: "
    PHOTOFINISH_OPTIONS=exitcode=0 start ./exec $way race # nobody wants to know
    exits 3
    races 1
    prints "became"
    PHOTOFINISH_OPTIONS=exitcode=5 start ./exec $way race
    exits 5
    prints_nothing
    run run ./exec $way race # here it is known: nothing is in the way
    exits 66
    races 1
    prints "became"
    says_not "instead of exec"
    run run ./exec $way
    exits 3
    prints "became"
done

# what cannot be started does not end the program
start ./exec fails race
exits 66
prints "failed 4"
start ./exec fails
exits 0
prints "failed 4"

# a child answers for its own races only
start ./exec children race
exits 66
races 1
prints "3 3 4"
start ./exec child-races
exits 0
races 1
prints "child 66"

# neither suppressed races nor known ones count
echo "race:^writer$" >suppressions
PHOTOFINISH_OPTIONS=suppressions=suppressions start ./exec execv race
exits 3
races 0
done_testing
