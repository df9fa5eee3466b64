# Shared by the command-line tests: `run` a command, then say what must hold. The first failure ends the test.
# A test is called with the path of photofinish as its only argument.
set -u
tool=$(realpath "$1")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
examples=$here/../../examples
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
checks=0

limit() { "$here/../support/limit" "$1"; } # SECONDS, longer where the machine is slow or busy

until_true() { # COMMAND...: waits until it succeeds; fails where it does not within a minute
    local end=$((SECONDS + $(limit 60)))
    until "$@"; do
        ((SECONDS < end)) || fail "waited in vain for: $*"
        sleep 0.05
    done
}

run() { # ARG...: runs photofinish, keeps status, out and err
    command_line="photofinish $*"
    "$tool" "$@" >"$scratch/.out" 2>"$scratch/.err" </dev/null
    status=$?
}

run_with() { # FILE ARG...: the same with standard input from FILE
    local input=$1
    shift
    command_line="photofinish $* < $input"
    "$tool" "$@" >"$scratch/.out" 2>"$scratch/.err" <"$input"
    status=$?
}

fail() {
    echo "FAILED: $command_line: $1"
    echo "--- status $status; stdout:" && head -50 "$scratch/.out"
    echo "--- stderr:" && head -20 "$scratch/.err"
    exit 1
}

exits() { checks=$((checks + 1)) && [ "$status" -eq "$1" ] || fail "expected exit status $1"; }
prints() { checks=$((checks + 1)) && grep -qF -- "$1" "$scratch/.out" || fail "stdout lacks: $1"; }
prints_not() { checks=$((checks + 1)) && ! grep -qF -- "$1" "$scratch/.out" || fail "stdout has: $1"; }
prints_nothing() { checks=$((checks + 1)) && [ ! -s "$scratch/.out" ] || fail "expected no output"; }
complains() { # exactly one line on stderr
    checks=$((checks + 1))
    [ "$(cat "$scratch/.err")" = "$1" ] || fail "stderr should be just: $1"
}
complains_not() { checks=$((checks + 1)) && [ ! -s "$scratch/.err" ] || fail "expected nothing on stderr"; }
same_file() { checks=$((checks + 1)) && cmp -s "$1" "$2" || fail "$1 and $2 differ"; }
done_testing() { echo "$checks checks passed" && [ "$checks" -gt 0 ]; }
