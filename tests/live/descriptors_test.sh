# A race on a file descriptor says which one it is, and where it was opened: in all formats.
. "$(dirname "$0")/lib.sh"

programs=$live/../programs
build used "$programs/fd_close_used_race.c" -I"$programs"
run run --json used.json ./used
exits 66
races 1
says '^  Location is file descriptor [0-9]+ created by main thread at:$'
says '^    #0 main .*fd_close_used_race.c'
says 'SUMMARY: .*fd_close_used_race.c:[0-9]+ in second'
json used.json races/0/kind 'read-write'
json used.json races/0/location/kind descriptor
json used.json races/0/location/descriptor '[0-9]+'
json used.json races/0/location/thread main
json used.json races/0/location/stack/0/function main

# What was written as JSON is read back.
run report --sarif=used.sarif --html=used.html used.json
exits 0
grep -q 'file descriptor [0-9]' used.sarif || fail "SARIF does not name the descriptor"

# The use that comes after the close, with either detector.
build after "$programs/fd_close_before_race.c" -I"$programs"
for detector in fasttrack2 vc; do
    run run --detector=$detector ./after
    exits 66
    races 1
    says 'Previous write of size 8'
    says '^  Location is file descriptor [0-9]+ created by main thread at:$'
done

# Every call that uses one.
build file "$programs/fd_close_file_race.c" -I"$programs" -Wno-unused-result
run run ./file
exits 66
races 19

# One that was there at the start has no creator.
build output "$programs/fd_close_output_race.c" -I"$programs"
run run ./output
exits 66
says '^  Location is file descriptor 1\.$'
done_testing
