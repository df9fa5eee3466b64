# Limits of tests grow with how slow the machine is right now: what is only slow must not be ended.
. "$(dirname "$0")/lib.sh"
command_line="tests/support/limit" status=0
: >.out
: >.err
cpu=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')
long=100000 # seconds: far above what any load makes of a short one

checks=$((checks + 2))
[ "$(limit $long)" -ge $long ] || fail "the limit is shorter than was asked for"
[ "$(taskset -c "$cpu" "$here/../support/limit" 1)" -lt $long ] || fail "the limit has nothing to do with what was asked for"

# one processor for many
busy=()
for ((i = 0; i < 16; i++)); do
    taskset -c "$cpu" bash -c 'while :; do :; done' &
    busy+=($!)
done
loaded=$(taskset -c "$cpu" "$here/../support/limit" 100)
kill "${busy[@]}"
wait "${busy[@]}" 2>/dev/null
checks=$((checks + 1))
[ "$loaded" -ge 400 ] || fail "16 others on its processor make a limit of 100 only $loaded"
done_testing
