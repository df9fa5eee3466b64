#!/bin/bash
# Compiles the functions in tests/place/*.c[pp] and counts the checks that each has: rules_test.sh PFCC [FILE...]
#
#   // expect FUNCTION: reads 1, __pf_writes 0, tests 1
#
# reads, writes: calls that check one access (__tsan_read4, __tsan_unaligned_write8, ...), also those that a test
# makes unlikely (__pf_read4 ...: told as __tsan_read4); tests: tests in place; in_loop: checks of
# any kind in a cycle of the function; anything else: calls of a function of that name. A file may say
# `// flags: -O3` and, for --pf-remarks, `// remark: TEXT`: a line that must be told (`// no remark: TEXT`: must not).
# The optimizer neither unrolls nor vectorizes, so that each check is there once.
set -u
pfcc=$(realpath -s "${1:?usage: rules_test.sh PFCC [FILE...]}")
shift
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PF_CC=clang-19 PF_CXX=clang++-19

if ! [ -e "$(dirname "$pfcc")/../lib/photofinish/photofinish-place.so" ]; then
    echo "skipped: the pass was not built (llvm-19-dev was missing)"
    exit 77
fi

counts() { # IR: "FUNCTION WHAT NUMBER" for each function, what it calls, and how many checks are in cycles of its graph
    awk 'function reaches(from, to, seen,    i, many, next_ones) {
             many = split(edges[from], next_ones)
             for (i = 1; i <= many; i++) {
                 if (next_ones[i] == to) return 1
                 if (next_ones[i] in seen) continue
                 seen[next_ones[i]] = 1
                 if (reaches(next_ones[i], to, seen)) return 1
             }
             return 0
         }
         function finish(    block, seen) {
             for (block in checks) {
                 delete seen
                 if (reaches(block, block, seen)) print f, "in_loop", checks[block]
             }
             delete checks; delete edges; f = ""
         }
         /^define / { match($0, /@[^(]*/); f = substr($0, RSTART + 1, RLENGTH - 1); gsub(/"/, "", f); block = "entry"; print f, "defined", 1; next }
         /^}/ && f != "" { finish() }
         f == "" { next }
         /^[A-Za-z0-9_.$-]+:/ { match($0, /^[^:]*/); block = substr($0, 1, RLENGTH) }
         {
             line = $0
             while (match(line, /label %[A-Za-z0-9_.$-]+/)) {
                 edges[block] = edges[block] " " substr(line, RSTART + 7, RLENGTH - 7)
                 line = substr(line, RSTART + RLENGTH)
             }
         }
         /(call|invoke) .*@/ {
             match($0, /@[A-Za-z0-9_.$]*/)
             callee = substr($0, RSTART + 1, RLENGTH - 1)
             if (callee ~ /^__pf_(read|write)[0-9]/) { print f, "tests", 1; sub(/^__pf_/, "__tsan_", callee) }
             print f, callee, 1
             if (callee ~ /^__tsan_(unaligned_)?read/) print f, "reads", 1
             if (callee ~ /^__tsan_(unaligned_)?write/) print f, "writes", 1
             if (callee ~ /^__pf_|^__tsan_(unaligned_)?(read|write)|^__tsan_vptr/) checks[block]++
         }' "$1" | awk '{ n[$1 " " $2] += $3 } END { for (k in n) print k, n[k] }'
}

expected() { # SOURCE: "FUNCTION WHAT NUMBER"
    awk '($1 == "//" || $1 == ";") && $2 == "expect" {
             f = $3; sub(/:$/, "", f)
             rest = $0; sub(/^[^:]*: */, "", rest)
             many = split(rest, each, /, */)
             for (i = 1; i <= many; i++) print f, each[i]
         }' "$1"
}

failed=0 checked=0
complain() { echo "FAIL $*" && failed=$((failed + 1)); }

one() { # SOURCE
    local source=$1 name driver=$pfcc ir flags
    name=$(basename "$source")
    ir=$work/$name.ll
    [[ $name == *.cpp ]] && driver=$(dirname "$pfcc")/pfc++
    flags=$(sed -n 's|^// flags: ||p' "$source")
    # shellcheck disable=SC2086
    if ! "$driver" --placement=bigfoot --pf-remarks -O2 -g -S -emit-llvm -fno-unroll-loops -fno-vectorize -fno-slp-vectorize \
        -Xclang -llvm-verify-each $flags "$source" -o "$ir" 2>"$ir.remarks"; then
        complain "$name: does not compile: $(grep -m1 error "$ir.remarks")"
        return
    fi
    counts "$ir" >"$ir.counts"
    while read -r function what number; do
        checked=$((checked + 1))
        found=$(awk -v f="$function" -v w="$what" '$1 == f && $2 == w { print $3 }' "$ir.counts")
        grep -q "^$function defined" "$ir.counts" || complain "$name: no function $function"
        [ "${found:-0}" = "$number" ] || complain "$name: $function: $what ${found:-0}, expected $number"
    done < <(expected "$source")
    while IFS= read -r text; do
        checked=$((checked + 1))
        grep -qF -- "$text" "$ir.remarks" || complain "$name: is not told: $text"
    done < <(sed -n 's|^ *// remark: ||p' "$source")
    while IFS= read -r text; do
        checked=$((checked + 1))
        grep -qF -- "$text" "$ir.remarks" && complain "$name: is told: $text"
    done < <(sed -n 's|^ *// no remark: ||p' "$source")
}

files=("$@")
[ $# -gt 0 ] || files=("$here"/*.c "$here"/*.cpp "$here"/*.ll)
for source in "${files[@]}"; do
    one "$source"
done
echo "$checked expectations, $failed failed"
[ "$failed" -eq 0 ] && [ "$checked" -gt 0 ]
