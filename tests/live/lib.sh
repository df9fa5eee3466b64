# Shared by the tests of running programs. A test is called with the paths of photofinish, pfcc and json_at.
# `build` and `run` (photofinish run) or `start` (the program itself), then say what must hold.
live=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
pfcc=$(realpath -s "$2")
pfcxx=$(dirname "$pfcc")/pfc++
json_at=$(realpath "$3")
. "$live/../cli/lib.sh"
unset TSAN_OPTIONS PHOTOFINISH_OPTIONS

build() { # OUTPUT SOURCE FLAG...: with pfcc or pfc++; sources lie beside this file
    local output=$1 source=$2 compiler=$pfcc
    shift 2
    [[ $source == *.cpp ]] && compiler=$pfcxx
    [[ $source == */* ]] || source=$live/$source
    command_line="$(basename "$compiler") $source $*" status=0
    "$compiler" -pthread -g "$source" -o "$output" "$@" >.out 2>.err || fail "does not build"
}

start() { # COMMAND...
    command_line="$*"
    "$@" >.out 2>.err </dev/null
    status=$?
}

races() { # exactly N reports, whole ones
    checks=$((checks + 1))
    local file=${2:-.err}
    [ "$(grep -c '^WARNING: Photofinish: data race (pid=[0-9]*)$' "$file")" -eq "$1" ] || fail "expected $1 races"
    [ "$(grep -c '^SUMMARY: Photofinish: data race ' "$file")" -eq "$1" ] || fail "expected $1 summaries"
}

says() { checks=$((checks + 1)) && grep -qE -- "$1" .err || fail "stderr lacks: $1"; }
says_not() { checks=$((checks + 1)) && ! grep -qE -- "$1" .err || fail "stderr has: $1"; }

json() { # FILE PATH EXPECTED: PATH like races/0/kind; EXPECTED is a regular expression for the whole value
    checks=$((checks + 1))
    local value
    value=$("$json_at" "$1" "$2") || fail "$1: no $2"
    grep -qxE -- "$3" <<<"$value" || fail "$1: $2 is $value"
}
