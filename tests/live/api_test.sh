# What programs ask of a sanitizer: every symbol of TSan's interface is there, and what can be asked about a report is
# answered.
. "$(dirname "$0")/lib.sh"

# the symbols of gcc 12 and clang 19
command_line="nm -D" status=0
library=$(dirname "$tool")/../lib/photofinish/libphotofinish.so.0
nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u >ours
while read -r name; do
    checks=$((checks + 1))
    grep -qx -- "$name" ours || fail "the runtime does not export $name"
done <"$live/exports"

build api api.c -O1
start ./api
exits 66
races 1
for line in "report 1" "data-race accesses 2 locations 1 mutexes 1 threads 2 unique 2" \
    "access by 0 offset 4 size 2 write 0 atomic 0 stack 1" "access by 1 offset 4 size 4 write 1 atomic 0 stack 1" \
    "location heap start 0 size 16 by 0" "mutex 1 right 1" "thread 0 '' creator -1" "thread 1 'writer' creator 0" \
    "unique 0" "unique 1" "located heap 0 16" "allocated 1 by 0" "seen 257, reports 1" "last word"; do
    checks=$((checks + 1))
    grep -qxF -- "$line" .out || fail "lacks: $line"
done
for line in "  Read of size 2 at 0x[0-9a-f]+ by main thread, stack 1" \
    "  Previous write of size 4 at 0x[0-9a-f]+ by thread T1, stack 1" \
    "  Location is heap block of size 16 at 0x[0-9a-f]+ allocated by main thread, stack 1" \
    "  Mutex M1 \(0x[0-9a-f]+\) created at:, stack 1" "  Thread T0 \(tid=[0-9]+, running\), stack 0" \
    "  Thread T1 'writer' \(tid=[0-9]+, (running|finished)\) created by main thread at:, stack 1" ", stack 0" \
    "small XXXXXXX '  Read'"; do
    checks=$((checks + 1))
    grep -qxE -- "$line" .out || fail "lacks: $line"
done
run run ./api
exits 66
grep -qx "last word" .out || fail "no last word"
PHOTOFINISH_OPTIONS=halt_on_error=1 start ./api
exits 66
grep -qx "last word" .out || fail "no last word"
grep -q "^seen" .out && fail "went on"
echo "race:writer" >file
PHOTOFINISH_OPTIONS=suppressions=file start ./api # neither a report nor an end because of it
exits 0
prints "seen 257, reports 0"

# where reports go
start ./api path
exits 66
races 0
races 1 chosen.*
start ./api fd
exits 66
complains_not
races 1 .out

# a library that tells of its objects
start ./api external
exits 66
races 1
says "^  Read of size 1 at .* by main thread:$"
start ./api ask
exits 0
says "^    #0 0x[0-9a-f]+ \(.*/api\+0x[0-9a-f]+\)$"
prints "16 1 0
1"
done_testing
