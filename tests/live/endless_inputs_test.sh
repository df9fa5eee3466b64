# Files that are read as a whole may have no end: they are refused by their size, with one line.
. "$(dirname "$0")/lib.sh"
build ends ends.c -O1
run run --json=run.json ./ends
exits 66

# within the limits, from a file and from a pipe
start bash -c "exec $tool run --suppressions=<(echo race:ends.c) ./ends"
exits 0
start bash -c "PHOTOFINISH_OPTIONS=include=<(echo exitcode=3) exec ./ends"
exits 3
yes '# a comment' | head -c 10000000 >large.supp
printf '\nrace:ends.c\n' >>large.supp
run run --suppressions=large.supp ./ends
exits 0
PHOTOFINISH_OPTIONS=suppressions=large.supp start ./ends
exits 0

# suppressions and options
for endless in /dev/zero /dev/full; do
    run run --suppressions=$endless ./ends
    exits 64
    complains "photofinish: $endless: more than 16 MiB: not a file of suppressions"
    for option in suppressions include include_if_exists; do
        PHOTOFINISH_OPTIONS=$option=$endless start ./ends
        exits 64
        complains "photofinish: file '$endless' has more than 16 MiB: it is not one of options or suppressions"
        prints_nothing
    done
done
start bash -c "exec $tool run --suppressions=<(yes race:nothing) ./ends"
exits 64
says "more than 16 MiB: not a file of suppressions$"
start bash -c "PHOTOFINISH_OPTIONS=suppressions=<(yes race:nothing) exec ./ends"
exits 64
says "has more than 16 MiB"

# reports and baselines
for text in '          ' 'a'; do
    start bash -c "yes '$text' | tr -d '\\n' | $tool report -"
    exits 2
    complains "photofinish: -: more than 256 MiB: not a report"
done
for text in '{},' '[],'; do # small, but not in memory
    start bash -c "(echo '['; yes '$text' | head -c 4000000; echo '0]') | $tool report -"
    exits 2
    complains "photofinish: -: it needs too much memory for its size: not a report"
done
start bash -c "exec $tool run --baseline=<(yes ' ') ./ends"
exits 64
says "^photofinish: .*: more than 256 MiB: not a report$"
for command in "report /dev/zero" "merge run.json /dev/zero" "analyze /dev/zero" "convert /dev/zero x.std" "stats /dev/zero" "dump /dev/zero"; do
    run $command
    exits 2
    prints_nothing
done
run run --baseline=/dev/zero ./ends
exits 64

# a program that is a pipe: nobody writes to it
mkfifo pipe
chmod +x pipe
for command in "run" "record -o t.pft"; do
    start timeout "$(limit 60)" "$tool" $command ./pipe
    exits 64
    says "^photofinish: ${command%% *}: ./pipe: cannot run: "
done

# pfcc leaves to the compiler what can be read only once
echo 'int main(void) { return 0; }' >empty.c
start timeout "$(limit 60)" "$pfcc" @/dev/zero empty.c -o empty
exits 0
done_testing
