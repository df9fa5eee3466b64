# Every command has a manual page, with each of its options, that troff has nothing against.
. "$(dirname "$0")/lib.sh"
pages=$(cd "$(dirname "$tool")/../man" && pwd)

options() { grep -oE '^  --?[a-zA-Z-]+' | tr -d ' '; }

has_page() { # NAME, its help on stdin: the page, and what it looks like, are there
    local name=$1 page=$pages/$1.1
    command_line="man $name" status=0
    cat >help
    checks=$((checks + 1))
    [ -s "$page" ] || fail "no page"
    sed 's/\\-/-/g' "$page" >text
    ! sed -n '/^.SH SEE ALSO/,$p' text | grep -qF ".BR $name (1)" || fail "refers to itself"
    grep -qx "$name - .*" text || fail "no name that apropos finds"
    if command -v groff >/dev/null; then
        groff -man -ww -Tascii -P-c "$page" 2>.err | sed 's/.\x08//g' >text
        [ ! -s .err ] || fail "groff complains"
        grep -qE '^EXIT STATUS$|^SEE ALSO$' text || fail "not formatted"
    fi
    for option in $(options <help); do
        checks=$((checks + 1))
        grep -qE -- "(^|[^a-z-])$option([^a-z-]|\$)" text || fail "the page lacks $option"
    done
}

command -v groff >/dev/null || echo "SKIPPED: no groff, so how pages are formatted is not checked"
"$tool" --help >usage
has_page photofinish <usage
commands=$(sed -n '/^Commands:/,/^$/p' usage | sed -nE 's/^  ([a-z]+) .*/\1/p')
for command in $commands; do
    grep -qE "^ *$command " text || fail "photofinish(1) lacks $command"
done
for command in $commands; do
    has_page "photofinish-$command" < <("$tool" "$command" --help)
    [ "$(options <help | wc -l)" -ge 1 ] || fail "no option was found"
done
has_page pfcc < <("$pfcc" --pf-help)
[ "$(options <help | wc -l)" -ge 5 ] || fail "no options were found"
has_page pfc++ < <("$pfcxx" --pf-help)
# no page is left of a command that is no more
[ "$(ls "$pages" | wc -l)" -eq $(($(wc -w <<<"$commands") + 3)) ] || fail "pages without a command in $pages"
done_testing
