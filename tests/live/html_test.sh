# --html: one page that holds every race and needs nothing else; with a browser, that it works.
. "$(dirname "$0")/lib.sh"
unset GITHUB_ACTIONS
has() { checks=$((checks + 1)) && grep -qF -- "$2" "$1" || fail "$1 lacks: $2"; }
has_not() { checks=$((checks + 1)) && ! grep -qF -- "$2" "$1" || fail "$1 has: $2"; }
times() { # FILE N TEXT
    checks=$((checks + 1))
    [ "$(grep -oF -- "$3" "$1" | wc -l)" -eq "$2" ] || fail "$1: $3 is there $(grep -oF -- "$3" "$1" | wc -l) times"
}
build libplace.so library.c -O2 -shared -fPIC
build places places.cpp -O1 ./libplace.so -Wl,-rpath,.
reports=
for what in method heap held free; do
    run run --json=$what.json --html=$what.html ./places $what
    exits 66
    reports="$reports $what.json"
    has $what.html "\"fingerprint\":\"$("$json_at" $what.json races/0/fingerprint)\""
done
run merge $reports -o all.json
run report --html=all.html all.json
exits 0
prints_nothing
for what in method heap held free; do
    has all.html "\"fingerprint\":\"$("$json_at" $what.json races/0/fingerprint)\""
done
times all.html 4 "WARNING: Photofinish: data race" # for those who allow no scripts
has all.html "void deposit(int amount) { balance += amount; }"
run report --html=- held.json
cp .out again.html
same_file held.html again.html

# nothing is loaded from anywhere: the only address is the name of SVG, and the page itself forbids it
for file in all.html held.html; do
    has $file "default-src 'none'"
    times $file 1 'http://www.w3.org/2000/svg'
    times $file 1 'http:'
    for word in 'https:' 'src=' 'href=' '@import' 'url(h' '@title@' '@style@' '@data@' '@text@' '@script@'; do
        has_not $file "$word"
    done
    # one element of each kind that would break the page if a name could close it
    times $file 2 "</script>"
    times $file 1 "</noscript>"
    times $file 1 "</style>"
done

# names of programs are text, whatever they look like
# (for sed: a backslash before what it would take for its own)
evil='</script><script>window.evil = 1</script><img src=x onerror=\\"window.evil = 2\\">\&lt;</pre></noscript>'
sed "s|\"function\": \"main\"|\"function\": \"$evil\"|; s|\"name\": \"plain_global\"|\"name\": \"$evil\"|; s|\"program\": \"./places\"|\"program\": \"$evil\"|" held.json >evil.json
run report --html=evil.html evil.json
exits 0
times evil.html 2 "</script>"
times evil.html 1 "</noscript>"
has_not evil.html "<img"
has evil.html "&lt;img src=x"
has evil.html "\\u003c/script>"

# sources that are not there, long lines, lines that are no UTF-8
printf 'one\nt\xffwo %0600d\nthree\n' 7 >odd.c
touch -d '1 day ago' odd.c # not newer than the program
sed "s|\"file\": \"[^\"]*\"|\"file\": \"$PWD/odd.c\"|; s|\"line\": [0-9]*|\"line\": 2|" method.json >odd.json
run report --html=odd.html odd.json
exits 0
has odd.html '"lines":["one","t?wo 0000'
sed 's|/places.cpp|/nowhere.cpp|' method.json >nowhere.json
run report --html=nowhere.html nowhere.json
has nowhere.html '"sources":{}'
run run --html=none.html ./places nothing
exits 0
has none.html '"races":[]'

# in a browser: what is to be seen, clicked and typed
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ]; then
    echo "SKIP: no chromium, so the page was not tried in a browser"
    done_testing
    exit
fi
cat >trial.js <<'END'
const wrong = [], must = (good, what) => { if (!good) wrong.push(what); };
const key = (name, at) => (at || document.activeElement).dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
const visible = () => [...document.querySelectorAll("article")].filter((a) => !a.hidden);
const type = (text) => { search.value = text; search.dispatchEvent(new Event("input")); };
const buttons = [...document.querySelectorAll("#list button")], search = document.getElementById("search");
must(buttons.length === 4, "four in the list");
must(visible().length === 1 && visible()[0].querySelector("svg .access-1") && visible()[0].querySelector("svg .access-2"), "the first is drawn");
must(visible()[0].querySelector("svg .ancestor"), "the last common point");
must(visible()[0].querySelectorAll(".source:not([hidden]) .hit").length === 2, "both sources");
buttons[2].click();
must(visible().length === 1 && /plain_global/.test(visible()[0].querySelector("h2").textContent), "a click chooses");
must(visible()[0].querySelector("svg .held"), "the lock that is held");
buttons[2].focus();
key("ArrowDown");
must(document.activeElement === buttons[3] && buttons[3].getAttribute("aria-current") === "true", "arrow down");
key("ArrowUp");
key("Enter");
must(document.activeElement.tagName === "H2", "enter leads to the race");
key("/");
must(document.activeElement === search, "/ searches");
type("no such thing anywhere");
must(/^0 of 4/.test(document.getElementById("count").textContent), "nothing found");
type("deposit places.cpp:15");
must(/^1 of 4/.test(document.getElementById("count").textContent) && /deposit/.test(visible()[0].textContent), "one found");
key("Escape");
must(/^4 races/.test(document.getElementById("count").textContent), "escape shows all");
const kind = document.getElementById("memory");
kind.value = "heap";
kind.dispatchEvent(new Event("input"));
must(/^2 of 4/.test(document.getElementById("count").textContent), "by memory");
const frame = visible()[0].querySelector("button.frame"), before = frame.getAttribute("aria-expanded");
frame.click();
must(frame.getAttribute("aria-expanded") !== before && frame.nextSibling.hidden === (before === "true"), "a frame opens and closes");
window.dispatchEvent(new Event("beforeprint"));
must(document.querySelectorAll("article").length === 4, "all are printed");
END
cat >trial_evil.js <<'END'
const wrong = window.evil === undefined ? [] : ["a name became a script"];
if (document.querySelector("img") || !/<img src=x/.test(document.body.textContent)) wrong.push("a name became an element");
END
try() { # PAGE SCRIPT: the page with a script at its end that looks around
    local result
    {
        sed "s|<title>|<script>const errors = []; window.onerror = (m) => { errors.push(m); };</script><title>|; s|^</body>||; s|^</html>||" "$1"
        printf '<script>\n%s\n%s\n</script></body></html>\n' "$(cat "$2")" \
            'document.title = errors.concat(wrong).join("; ") || "all is well";'
    } >trial.html
    result=$(timeout "$(limit 60)" "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync --user-data-dir="$PWD/browser" \
        --dump-dom "file://$PWD/trial.html" 2>/dev/null | grep -o '<title>[^<]*</title>' | head -1)
    [ -n "$result" ] || { echo "SKIP: $browser does not run here" && return; }
    checks=$((checks + 1))
    [ "$result" = "<title>all is well</title>" ] || fail "$1 in the browser: $result"
}
cat >trial_odd.js <<'END'
document.querySelectorAll("#list button")[1].click();
const wrong = document.querySelectorAll("article h2").length === 2 && document.querySelectorAll("#list button").length === 2 ? [] : ["not shown"];
END
echo '{"tool": "photofinish", "races": [{"first": {}, "second": {"stack": [7, null, {"line": -3, "file": 5}], "held": [{}]}, "threads": [[]], "mutexes": {}},
{"first": {"thread": "T1"}, "second": {"thread": "T1"}, "location": {"kind": "heap"}, "threads": [{"thread": "T1", "created_by": "T1"}], "sync": [1, {}]}]}' >strange.json
run report --html=strange.html strange.json
exits 0
try all.html trial.js
try strange.html trial_odd.js
try evil.html trial_evil.js
done_testing
