# Reports about the heap: where a block came from, where it went, and by which function.
. "$(dirname "$0")/lib.sh"

after_line() { # PATTERN NEXT: the line after the first that matches PATTERN matches NEXT
    checks=$((checks + 1))
    grep -m1 -A1 -E -- "$1" .err | tail -1 | grep -qE -- "$2" || fail "after '$1' comes no '$2'"
}

given_back() { # HOW SIZE FUNCTION: all reports about a block that was given back like this
    start ./heap "$1" drop-first
    exits 66
    races 1
    says "^  Write of size 4 at 0x[0-9a-f]+ by main thread:$"
    after_line "^  Write" "#0 use\(\) "
    says "^  Previous write of size $2 at 0x[0-9a-f]+ by thread T1:$"
    after_line "^  Previous" "^    #0 $3 <null>$"
    says "^    #1 drop\(\) .*/heap.cpp:[0-9]+ "
    after_line "^  Location is heap block of size $2 at 0x[0-9a-f]+ allocated by main thread:$" "#0 make\(\) .*/heap.cpp"
    start ./heap "$1" use-first
    exits 66
    races 1
    after_line "^  Write of size $2 at 0x[0-9a-f]+ by main thread:$" "^    #0 $3 <null>$"
    after_line "^  Previous write of size 4 at 0x[0-9a-f]+ by thread T1:$" "#0 use\(\) "
    after_line "^  Location is heap block of size $2 at 0x[0-9a-f]+ allocated by main thread:$" "#0 make\(\) .*/heap.cpp"
    says_not "was freed by"
    says "^SUMMARY: Photofinish: data race .*/heap.cpp:[0-9]+ in drop\(\)$"
}

for compiler in g++ clang++-19; do
    PF_CXX=$compiler build heap heap.cpp -O0 -std=c++17
    given_back free 80 free
    given_back realloc 80 realloc
    given_back delete 80 'operator delete\(void\*\)'
    given_back delete-array 80 'operator delete\[\]\(void\*\)'
    given_back delete-aligned 128 'operator delete\(void\*\)'
done

# in its place: the block is still there
start ./heap shrink drop-first
exits 66
says "^    #0 realloc <null>$"
says "^  Location is heap block of size 40 at 0x[0-9a-f]+ allocated by thread T1:$"

# what goes back to the kernel
start ./heap mapping use-first
exits 66
says "^  Write of size 1048576 at 0x"
says "^  Location is heap block of size 1048576 at 0x[0-9a-f]+ allocated by main thread:$"

# the same as JSON
run run --json=out.json ./heap delete drop-first
json out.json races/0/first/access free
json out.json races/0/first/stack/0/function 'operator delete\(void\*\)'
json out.json races/0/location/kind heap
json out.json races/0/location/freed true
json out.json races/0/location/stack/0/function 'make\(\)'
json out.json races/0/location/free_stack/0/function 'drop\(\)'

# a byte of a block that is freed and given out again: its write races with the free(), which came second, and with nothing
# that comes after it
build byte_again byte_again.c -O1
for memory in "" shared; do
    start ./byte_again $memory
    exits 66
    races 1
    after_line "^  Write of size 64 at 0x[0-9a-f]+ by thread T2:$" "^    #0 free <null>$"
    after_line "^  Previous write of size 1 at 0x[0-9a-f]+ by thread T1:$" "#0 writer "
done
done_testing
