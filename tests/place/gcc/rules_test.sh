#!/bin/bash
# Compiles the functions in tests/place/gcc/*.c with the plugin for gcc and counts the checks that each has: rules_test.sh PFCC
#
#   // expect FUNCTION: reads 1, writes 0
#
# at each level of optimization that the file names (// levels: -O1 ...); and without the plugin (--placement=every) none may have fewer.
set -u
pfcc=$(realpath -s "${1:?usage: rules_test.sh PFCC}")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PF_CC PF_CXX

if ! [ -e "$(dirname "$pfcc")/../lib/photofinish/photofinish-place-gcc.so" ]; then
    echo "skipped: the plugin was not built (gcc's headers for plugins were missing)"
    exit 77
fi

counts() { # ASSEMBLY: "FUNCTION reads|writes NUMBER"
    awk '/^[a-z_]+:$/ { f = $1; sub(/:/, "", f); n[f " reads"] += 0; n[f " writes"] += 0 }
         /call.*__tsan_read[0-9]/ { n[f " reads"]++ }
         /call.*__tsan_write[0-9]/ { n[f " writes"]++ }
         END { for (k in n) print k, n[k] }' "$1" | sort
}

expected() { # SOURCE: the same
    sed -nE 's|^// expect ([a-z_]+): reads ([0-9]+), writes ([0-9]+)$|\1 reads \2\n\1 writes \3|p' "$1" | sort
}

failed=0 checked=0
for source in "$here"/*.c; do
    expected "$source" >"$work/expected"
    for level in $(sed -n 's|^// levels: ||p' "$source"); do
        for placement in redcard every; do
            if ! "$pfcc" --pf-calls --placement=$placement $level -fno-inline -fno-unroll-loops -S "$source" -o "$work/$placement.s"; then
                echo "FAIL $(basename "$source") $level $placement: does not compile" && exit 1
            fi
            counts "$work/$placement.s" >"$work/$placement"
        done
        while read -r function what number all; do
            checked=$((checked + 1))
            is=$(awk -v f="$function" -v w="$what" '$1 == f && $2 == w { print $3 }' "$work/redcard")
            if [ "$is" != "$number" ] || [ "${all:-0}" -lt "$number" ]; then
                echo "FAIL $(basename "$source") $level: $function has $is $what, not $number (of $all)" && failed=$((failed + 1))
            fi
        done < <(join -j1 <(sed 's/ /:/' "$work/expected") <(sed 's/ /:/' "$work/every") | sed 's/:/ /')
    done
done
echo "$checked numbers of checks looked at, $failed wrong"
[ $failed -eq 0 ] && [ $checked -gt 0 ]
