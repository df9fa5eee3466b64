# docs/tutorial.md, as a reader does it: its commands are typed in order, its patches are applied; each command prints what
# the tutorial says.
. "$(dirname "$0")/lib.sh"
tutorial=$here/../../docs/tutorial.md
unset GITHUB_ACTIONS
mkdir build
ln -s "$(dirname "$tool")" build/bin
ln -s "$examples" examples

# What differs from run to run: addresses, numbers, folders; which of the two accesses came first, and with it who names the race and
# what had been done by
# then; how many pairs --update-baseline sees.
normal() {
    sed -E -e 's/0x[0-9a-f]+/HEX/g; s/(pid|tid)=[0-9]+/\1=N/g; s/\b(T)[0-9]+\b/\1N/g; s/(running|finished)/STATE/' \
        -e 's/about [0-9]+/about N/; s/known race [0-9a-f]{16}/known race F/; s|[^ ]*/bank\.c|bank.c|g' \
        -e 's/[0-9]+( events)/N\1/; s/event [0-9]+/event N/g; s/, [0-9]+ variables\)/, N variables)/; s/^ +[0-9]+(  TN  )/N\1/' \
        -e 's/^(  )(Read|Previous read|Write|Previous write) of/\1Access of/; s/^(photofinish: recorded )[0-9]+( accesses of process )[0-9]+/\1N\2N/; s/[0-9.]+( bytes an access)/N\1/' \
        -e 's/^(    )(Thread TN (held|unlocked|has)|Nothing that thread).*/\1WHY/; s/bank.c:(11|24) in (deposit|auditor)/PLACE/' \
        -e 's/the (earlier|later) (access was made under)/the FIRST \2/; s/the (earlier|later) (one, at line)/the OTHER \2/' \
        -e 's/reported [0-9]+ warnings?(, and 0 known)/reported N\1/'
}

check_command() { # COMMAND EXPECTED_OUTPUT_FILE: in this shell, so that cd and export last
    command_line=$1
    (exit "${status:-0}")
    eval "$1" >"$scratch/.out" 2>&1 </dev/null
    status=$?
    normal <"$scratch/.out" >"$scratch/.normal"
    local said
    while IFS= read -r said; do
        checks=$((checks + 1))
        grep -qxF -- "$said" "$scratch/.normal" || fail "does not print: $said"
    done < <(normal <"$2")
    while IFS= read -r said; do
        checks=$((checks + 1))
        normal <"$2" | grep -qxF -- "$said" || fail "the tutorial does not have: $said"
    done < <(grep '^Photofinish:' "$scratch/.normal")
    checks=$((checks + 1))
    [ -s "$2" ] || { [ "$status" -eq 0 ] && [ ! -s "$scratch/.out" ]; } || fail "the tutorial says that it prints nothing"
    [ "$(grep -c '^WARNING' "$scratch/.out")" -eq "$(grep -c '^WARNING' "$2")" ] || fail "so many warnings are not in the tutorial"
}

block= command= commands=0 patches=0
finish_command() {
    [ -n "$command" ] && check_command "$command" "$scratch/expected" && commands=$((commands + 1))
    command=
    : >"$scratch/expected"
}
: >"$scratch/expected"
: >"$scratch/.err"
while IFS= read -r -u 3 line; do
    case "$block:$line" in
    ':```console') block=console ;;
    ':```diff') block=diff && : >"$scratch/patch" ;;
    ':```'*) block=other ;;
    'console:```') finish_command && block= ;;
    'diff:```')
        block= command_line=patch
        patch -p0 <"$scratch/patch" >"$scratch/.out" 2>&1 || fail "does not apply"
        patches=$((patches + 1))
        ;;
    *':```') block= ;;
    'console:$ '*) finish_command && command=${line#'$ '} ;;
    console:*) printf '%s\n' "$line" >>"$scratch/expected" ;;
    diff:*) printf '%s\n' "$line" >>"$scratch/patch" ;;
    esac
done 3<"$tutorial"
[ "$commands" -ge 25 ] && [ "$patches" -eq 3 ] || fail "only $commands commands and $patches patches were found"
done_testing
