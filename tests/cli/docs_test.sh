# What the documents list is what there is: options, commands; and their links lead somewhere.
. "$(dirname "$0")/lib.sh"
root=$here/../..
command_line="the documents" status=0
: >.out
: >.err
names() { sed -n "/^#define $1/,/[^\\\\]\$/p" "$root/src/report/options.h" | grep -oE "(FLAG|NUMBER|WORD|TEXT|X)\([a-z_0-9]+" | sed 's/.*(//'; }
for list in OPTIONS OPTIONS_ACCEPTED; do
    [ "$(names "$list(" | wc -l)" -gt 20 ] || fail "no $list were found"
    for name in $(names "$list("); do
        checks=$((checks + 1))
        grep -qF "\`$name\`" "$root/docs/migrating-from-tsan.md" || fail "migrating-from-tsan.md lacks $name"
    done
done
run --help
for command in $(sed -n '/^Commands:/,/^$/p' .out | sed -nE 's/^  ([a-z]+) .*/\1/p'); do
    checks=$((checks + 1))
    grep -qE "photofinish $command|\`$command[ \`]" "$root/README.md" || fail "the README lacks $command"
done
says_in() { # FILE TEXT...
    local file=$1 text
    shift
    for text in "$@"; do
        checks=$((checks + 1))
        grep -qF "$text" "$root/$file" || fail "$file lacks: $text"
    done
}
says_in README.md "Photofinish runs on Linux x86-64"
says_in SECURITY.md "Never install an instrumented program set-user-ID" "## What we promise" "## How to report a vulnerability" \
    "/security/advisories/new"
for file in "$root"/README.md "$root"/SECURITY.md "$root"/docs/*.md; do
    while read -r link; do
        checks=$((checks + 1))
        [ -e "$(dirname "$file")/$link" ] || fail "$(basename "$file"): no $link"
    done < <(grep -oE '\]\([a-zA-Z./_-]+\.(md|c|std|svg)' "$file" | sed 's/^](//')
done
done_testing
