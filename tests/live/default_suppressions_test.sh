# A race that everybody has, inside libstdc++, is not reported, unless wanted; others in the same program are.
. "$(dirname "$0")/lib.sh"
cat >narrow.cpp <<'C'
#include <cstring>
#include <locale>
#include <regex>
#include <thread>
#include "unseen.h"
static int shared;
static char narrowed(char c)
{
    return std::use_facet<std::ctype<char>>(std::locale::classic()).narrow(c, '*');
}
/* Both compute the same entry of the table, one after the other, with nothing that orders them. */
int main(int argc, char **argv)
{
    bool other = argc > 2;
    auto use = [=](bool first) {
        if (!first)
            unseen_wait(1);
        if (strcmp(argv[1], "narrow") == 0)
            narrowed('q');
        else
            std::regex("q+");
        if (other)
            shared++;
        if (first)
            unseen_signal(1);
    };
    std::thread one(use, true), two(use, false);
    one.join();
    two.join();
    return 0;
}
C
for compiler in gcc clang-19; do
    export PF_CC=$compiler
    for flags in "-g -O0" "-g -O2" "-g0 -O0" "-g0 -O2" "-g -O1 --pf-static"; do
        "$pfcxx" -pthread -I"$live/../programs" $flags narrow.cpp -o narrow || fail "narrow.cpp does not compile"
        uses="regex narrow"
        [[ $flags == *-g0* ]] && uses=regex # nothing says that the access is in narrow(), where that is inlined
        for use in $uses; do
            PHOTOFINISH_OPTIONS=default_suppressions=0 start ./narrow $use
            exits 66
            says "#0 (std::ctype<char>::narrow\(char, char\) const|std::__detail::_Scanner<char>::)"
            start ./narrow $use
            exits 0
            complains_not
            run run --json=out.json ./narrow $use
            exits 0
            complains "Photofinish: reported 0 warnings, and $("$json_at" out.json suppressed) suppressed"
            json out.json races 0
            json out.json suppressed '[1-9][0-9]*'
            start ./narrow $use other
            exits 66
            races 1
            [[ $flags == *-g0* ]] || says "#0 .* .*/narrow.cpp:23"
        done
    done
done
unset PF_CC

# it counts as other suppressions do, and is none that the user has to hear of as unused
PHOTOFINISH_OPTIONS=print_suppressions=1 start ./narrow narrow
exits 0
says "^Photofinish: Matched [0-9]+ suppressions"
says "^[0-9]+ race_pair:\^std::ctype<char>::narrow"
says_not "Unused"
"$pfcc" -g -O1 -I"$live/../programs" "$live/ends.c" -o ends -pthread || fail "ends.c does not compile"
PHOTOFINISH_OPTIONS=print_suppressions=1:verbosity=1 start ./ends
says_not "Unused"
TSAN_OPTIONS=default_suppressions=0 start ./narrow narrow
exits 66
done_testing
