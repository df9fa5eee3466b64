# photofinish help: a topic for each command, with the text of its --help, and topics that are sections of the documents.
. "$(dirname "$0")/lib.sh"
run help
exits 0
cp .out usage
run --help
exits 0
same_file .out usage
run help --help
exits 0
prints "usage: photofinish help [OPTION]... [TOPIC]"

commands=$(sed -n '/^Commands:/,/^$/p' usage | sed -nE 's/^  ([a-z]+) .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 11 ] || fail "commands are missing"
for command in $commands; do
    run "$command" --help
    exits 0
    cp .out wanted
    run help "$command"
    exits 0
    same_file .out wanted
done
run help pfcc
exits 0
prints "usage: pfcc ["
prints "  --pf-static "
run help pfc++
prints "usage: pfc++ ["

# a topic is not empty, and has no marks of Markdown outside of code (which is indented by four)
topics=$(sed -n '/^Topics/,/^$/p' usage | sed -nE 's/^  ([a-z-]+) .*/\1/p')
for topic in baselines ci environment exit-codes options placement recording reports suppressions; do
    grep -qx "$topic" <<<"$topics" || fail "no topic $topic"
done
for topic in $topics; do
    run help "$topic"
    exits 0
    complains_not
    checks=$((checks + 1))
    [ "$(wc -l <.out)" -ge 8 ] || fail "too little"
    ! grep -vE '^    ' .out | grep -nE '\]\(|`|^ *\||^#' || fail "marks are left"
    head -1 .out | grep -qE '^[A-Z]' || fail "no heading"
done

# the names of the documents, too
for name in "$here"/../../docs/{ci,formats,live,migrating-from-tsan,placement,reports,suppressions,tutorial}.md; do
    run help "$(basename "$name" .md)"
    exits 0
done

run help exit-codes
prints "66                    a race was reported"
prints_not "Environment"
run help environment
for variable in $(grep -rhoE 'getenv\("[A-Z_]+"' "$here"/../../src/cli "$here"/../../src/report "$here"/../../src/trace | sed 's/.*"\(.*\)"/\1/' | sort -u | grep -vx PATH); do
    prints "$variable"
done
run help options
for option in exitcode=66 suppressions= color=auto history_size=2; do
    prints "  $option:"
done
run help suppressions
prints "    race_pair:deposit <- teller <-> auditor on balance"
prints_not "--update-baseline"
run help reports
prints "Why nothing orders them"

run help supressions
exits 2
prints_nothing
complains "photofinish: no help on 'supressions': did you mean 'suppressions'? (photofinish help lists the topics)"
run help exit
exits 2
complains "photofinish: no help on 'exit': did you mean 'exit-codes'? (photofinish help lists the topics)"
run help anlyze
complains "photofinish: no help on 'anlyze': did you mean 'analyze'? (photofinish help lists the topics)"
run help weather
exits 2
complains "photofinish: no help on 'weather' (photofinish help lists the topics)"
run help "$(printf 'x%.0s' $(seq 1000))"
exits 2
run help run record
exits 2
complains "photofinish: help: expected [TOPIC] and nothing more (see photofinish help --help)"
run recrod -o x y
exits 2
complains "photofinish: no command 'recrod': did you mean 'record'? (see photofinish --help)"
done_testing
