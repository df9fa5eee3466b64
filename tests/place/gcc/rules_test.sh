#!/bin/bash
# Compiles the functions in tests/place/gcc/*.c with the plugin for gcc and counts the checks that each has: rules_test.sh PFCC
#
#   // expect FUNCTION: reads 1, writes 0, read_ranges 0, write_ranges 0
#
# at each level of optimization that the file names (// levels: -O1 ...; // flags: more for the compiler). What is not
# named is none. With --pf-calls and with --placement=redcard there are no ranges; and without the plugin
# (--placement=every) no function has fewer checks than it has with --placement=redcard.
set -u
pfcc=$(realpath -s "${1:?usage: rules_test.sh PFCC}")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PF_CC PF_CXX

if ! [ -e "$(dirname "$pfcc")/../lib/photofinish/photofinish_gcc.so" ]; then
    echo "skipped: the plugin was not built (gcc's headers for plugins were missing)"
    exit 77
fi

counts() { # ASSEMBLY: "FUNCTION:WHAT NUMBER", sorted
    awk '/^[a-z_]+:$/ { f = $1; n[f "reads"] += 0; n[f "writes"] += 0; n[f "read_ranges"] += 0; n[f "write_ranges"] += 0 }
         /call.*__tsan_read[0-9]/ { n[f "reads"]++ }
         /call.*__tsan_write[0-9]/ { n[f "writes"]++ }
         /call.*__pf_reads/ { n[f "read_ranges"]++ }
         /call.*__pf_writes/ { n[f "write_ranges"]++ }
         END { for (k in n) print k, n[k] }' "$1" | sort
}

expected() { # SOURCE: the same
    awk '$1 == "//" && $2 == "expect" {
             f = $3; n[f "reads"] += 0; n[f "writes"] += 0; n[f "read_ranges"] += 0; n[f "write_ranges"] += 0
             for (i = 4; i < NF; i += 2) n[f $i] = $(i + 1) + 0
         }
         END { for (k in n) print k, n[k] }' "$1" | sort
}

failed=0 checked=0
fail() { echo "FAIL $*" && failed=$((failed + 1)); }

compile() { # SOURCE NAME OPTION...
    "$pfcc" "${@:3}" -fno-inline -fno-unroll-loops $(sed -n 's|^// flags: ||p' "$1") -S "$1" -o "$work/$2.s" || {
        echo "FAIL $(basename "$1") ${*:3}: does not compile"
        exit 1
    }
    counts "$work/$2.s" >"$work/$2"
}

for source in "$here"/*.c; do
    name=$(basename "$source")
    expected "$source" >"$work/expected"
    for level in $(sed -n 's|^// levels: ||p' "$source"); do
        compile "$source" bigfoot $level
        compile "$source" redcard $level --placement=redcard
        compile "$source" calls $level --pf-calls
        compile "$source" every $level --placement=every
        while read -r what number is; do
            checked=$((checked + 1))
            [ "$number" = "$is" ] || fail "$name $level: $what: $is, not $number"
        done < <(join "$work/expected" "$work/bigfoot")
        cmp -s "$work/redcard" "$work/calls" || fail "$name $level: --pf-calls and redcard differ"
        grep -q 'ranges [1-9]' "$work/redcard" && fail "$name $level: ranges with redcard"
        while read -r what some all; do
            [ "$some" -le "$all" ] || fail "$name $level: $what: $some with redcard, $all with every"
        done < <(join "$work/redcard" "$work/every")
    done
    [ "$(join "$work/expected" "$work/bigfoot" | wc -l)" -eq "$(wc -l <"$work/expected")" ] || fail "$name: functions are missing"
done
echo "$checked numbers of checks looked at, $failed wrong"
[ $failed -eq 0 ] && [ $checked -gt 0 ]
