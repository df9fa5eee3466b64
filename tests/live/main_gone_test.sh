# The main thread has ended before the others race: places have their names all the same, and options their program.
. "$(dirname "$0")/lib.sh"
build main_gone.so main_gone.c -DPLUGIN -O1 -shared -fPIC
build main_gone main_gone.c -O1

named() {
    exits 66
    races 2
    says "#0 first $live/main_gone.c:[0-9]+ \(main_gone\+0x"
    says "#0 second $live/main_gone.c:[0-9]+ \(main_gone\+0x"
    says "#0 opened_write $live/main_gone.c:[0-9]+ \(main_gone.so\+0x"
    says "Location is global 'here' of size 4"
    says "Location is global 'opened_value' of size 4"
}
start ./main_gone
named
run run ./main_gone
named
run run --detector=djit ./main_gone
named
mkdir elsewhere
echo "race:opened_write" >suppressions.txt
ln -s ../main_gone.so elsewhere/
(
    cd elsewhere || exit 1
    PHOTOFINISH_OPTIONS=suppressions=suppressions.txt start ../main_gone # they lie beside the program
    exits 66
    races 1
) || exit 1

run record --quiet -o t.pft ./main_gone
exits 0
run analyze t.pft
exits 1
prints "rite of here by thread T1 at $live/main_gone.c:"
prints "rite of here by thread T2 at $live/main_gone.c:"
prints "rite of opened_value by thread T1 at $live/main_gone.c:9 opened_write < $live/main_gone.c:"
prints "rite of opened_value by thread T2 at $live/main_gone.c:9 opened_write < $live/main_gone.c:"
done_testing
