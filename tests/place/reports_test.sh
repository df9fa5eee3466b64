# A loop that is checked as a whole tells the element that raced, with its size and the line of the access, whether the loop
# comes first or the other thread does: reports_test.sh PHOTOFINISH PFCC JSON_AT
. "$(dirname "$0")/../live/lib.sh"
if ! [ -e "$(dirname "$pfcc")/../lib/photofinish/photofinish-place.so" ]; then
    echo "skipped: the pass was not built (llvm-19-dev was missing)"
    exit 77
fi
export PF_CC=clang-19
source=$live/../place/run/elements.c
cases=$(sed -n 's|.*/\* line of \([a-z]*\) \*/|\1|p' "$source")

element() { # CASE: the only race is the one of the element that the program names, with the line of the case
    local address size at=second other=first line
    [[ $2 == earlier ]] && at=first other=second
    run run --json=out.json ./elements "$1" "$2"
    exits 66
    read -r address size <.out
    line=$(grep -n "/\* line of $1 \*/" "$source" | cut -d: -f1)
    json out.json races 1
    json out.json races/0/$at/address "$address"
    json out.json races/0/$at/size "$size"
    json out.json races/0/$at/stack/0/function "$1"
    json out.json races/0/$at/stack/0/line "$line"
    json out.json races/0/$other/address "$address"
    json out.json races/0/$other/size "$size"
    json out.json races/0/$other/stack/0/function touch
}

for flags in "-O2 --placement=bigfoot" "-O1 --placement=bigfoot"; do
    # shellcheck disable=SC2086
    build elements "$source" $flags
    for case in $cases; do
        element "$case" earlier
        element "$case" later
    done
done
done_testing
