# photofinish run --json: whole, valid, with everything that the text says.
. "$(dirname "$0")/lib.sh"
build libplace.so library.c -O2 -shared -fPIC
build places places.cpp -O1 ./libplace.so -Wl,-rpath,.
build ends ends.c -O1

run run --json=out.json ./places method argument
exits 66
json out.json tool photofinish
json out.json version '[0-9.]+'
json out.json detector fasttrack2
json out.json program ./places
json out.json arguments/0 method
json out.json exit_status 66
json out.json program_status 0
json out.json signal null
json out.json races 1
json out.json reported 1
json out.json suppressed 0
json out.json races/0/kind 'write-read|write-write'
json out.json races/0/explain 'Neither held a lock, and nothing else orders the access of the main thread after that of thread T1\. Thread T1 has released nothing since its (read|write)\. Nothing that thread T1 did had reached the main thread\.'
for access in first second; do
    json out.json races/0/$access/size 4
    json out.json races/0/$access/address '0x[0-9a-f]+'
    json out.json races/0/$access/stack '[3-9]'
    json out.json races/0/$access/stack/0/function 'bank::Account::deposit\(int\)'
    json out.json races/0/$access/stack/0/file '/.*/places\.cpp'
    json out.json races/0/$access/stack/0/line 15
    json out.json races/0/$access/stack/0/module '/.*/places'
done
json out.json races/0/first/thread T1
json out.json races/0/second/thread main
json out.json races/0/second/held 0
json out.json races/0/held/second 0
json out.json races/0/location/kind global
json out.json races/0/location/name bank::account
json out.json races/0/location/size 4
json out.json races/0/threads 2
json out.json races/0/pid '[0-9]+'

run run --json out.json ./places heap
json out.json races/0/location/kind heap
json out.json races/0/location/size 80
json out.json races/0/location/thread main
json out.json races/0/location/stack/0/function main
run run --json out.json ./places stack
json out.json races/0/location/kind stack
json out.json races/0/location/thread main
run run --json out.json ./places tls
json out.json races/0/location/kind tls
run run --json out.json ./places held
json out.json races/0/second/held/0/mutex M1
json out.json races/0/held/second/0/mode write
json out.json races/0/mutexes/0/name guard
run run --json out.json ./places free
json out.json races/0/second/access free
json out.json races/0/second/size 80

# no race; a program that is killed; one that cannot be checked leaves no file
run run --json=none.json ./ends clean
exits 7
json none.json races 0
json none.json exit_status 7
json none.json program_status 7
run run --json=killed.json ./ends kill
exits 66
json killed.json signal 9
json killed.json exit_status null
json killed.json program_status null
json killed.json races 1
run run --json=nothing.json true
exits 64
[ ! -e nothing.json ] || fail "there is a file"
ls | grep -q part && fail "a temporary file was left"
run run --json=- ./ends _exit
exits 66
cp .out stdout.json
json stdout.json races 1
run run --json=/dev/full ./ends
exits 70

# names that are no UTF-8 do not spoil it
printf 'int main(void) { return 0; }' >$'odd\xff.c'
build $'./odd\xff' $'./odd\xff.c'
run run --json=odd.json $'./odd\xff'
exits 0
json odd.json races 0
done_testing
