# Sourced by the launcher of a real program in one of its builds (build makes it), which has set name, dir and tool:
#
#   LAUNCHER THREADS [SIZE]            runs the workload, under $PF_BENCH_UNDER if there is one
#   LAUNCHER prepare THREADS [SIZE]    makes what a run needs
#   LAUNCHER check THREADS [SIZE]      is the result that of a plain build, which runs once for it? 1: it is not
#
# Only the first is measured: it becomes the program as soon as it can.
set -eu

doing=run
case $1 in
prepare | check) doing=$1 && shift ;;
esac
. "${BASH_SOURCE[0]%/*}/common.bash"
threads=$1 size=${2:-$usual}
cd "$dir/bench.$tool"
input=/dev/null
[ "$(type -t make_input)" != function ] || input=$dir/input.$size
result=$dir/result.$tool

prepare() {
    rm -rf "$result"*
    [ -e "$input" ] || { make_input >"$input.part" && mv "$input.part" "$input"; }
}

# Of the first plain build there is.
expected() {
    local plain
    for plain in gcc clang; do
        [ ! -x "${0%/*}/$name.$plain" ] || break
    done
    (
        cd "$dir/bench.$plain"
        result=$dir/result.plain
        prepare
        workload
        "${command[@]}" <"$input" >"$result" 2>"$result.log" && digest "$result" && rm -rf "$result"*
    )
}

check() {
    local expected=$dir/expected.$threads.$size
    [ -s "$expected" ] || { expected >"$expected.part" && mv "$expected.part" "$expected"; }
    digest "$result" | cmp - "$expected"
}

case $doing in
run)
    workload
    exec ${PF_BENCH_UNDER:-} "${command[@]}" <"$input" >"$result"
    ;;
*) "$doing" ;;
esac
