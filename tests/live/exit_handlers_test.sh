# A race in a function that libc calls late: its stack goes on where the function was registered.
. "$(dirname "$0")/lib.sh"
build exit_handlers exit_handlers.c -O0

registered() { # WAY FUNCTION MARK: frames of the access, the mark, frames of the registration, and nothing else
    run run --json races.json --html races.html ./exit_handlers $1
    exits 66
    races 1
    checks=$((checks + 1))
    sed -n '/^  Write of size/,/^$/p' .err | grep -v '^  Write\|^$' | sed 's/ [^ ]*exit_handlers.c:.*//' >stack
    printf '%s\n' "$2" "    [$3]" "    #$4 install" "    #$(($4 + 1)) main" | cmp -s - stack || fail "the stack is: $(cat stack)"
    json races.json "races/0/second/stack/$4/function" "\[$3\]"
    json races.json "races/0/second/stack/$4/mark" true
    json races.json "races/0/second/stack/$(($4 + 1))/function" install
    grep -qF "[$3]" races.html || fail "the page lacks the mark"
    run report races.json
    grep -qxF "    [$3]" .out .err || fail "the mark is lost on the way through JSON"
}
exit="exit handler, registered at"
key="destructor of thread-specific data, key created at"
registered atexit "    #0 handler" "$exit" 1
registered exit "    #0 handler" "$exit" 1
registered on_exit "    #0 handler_with_status" "$exit" 1
registered at_quick_exit "    #0 handler" "handler of quick_exit, registered at" 1
registered pthread_key_create "    #0 handler
    #1 destructor" "$key" 2
registered tss_create "    #0 handler
    #1 destructor" "$key" 2

# the same with another detector, and without the helper
run run --detector=vc ./exit_handlers atexit
exits 66
says "^    \[exit handler, registered at\]$"
says "^    #1 install "
mkdir -p alone/lib
cp "$(dirname "$pfcc")"/../lib/photofinish/libphotofinish.so.0 alone/lib/
LD_LIBRARY_PATH=$PWD/alone/lib LD_PRELOAD=$PWD/alone/lib/libphotofinish.so.0 start ./exit_handlers atexit
exits 66
says "^    \[registered at\]$"

# keys are made and deleted more often than there are entry points of ours, which are used again
start ./exit_handlers churn
exits 0
complains_not
registered "pthread_key_create churn" "    #0 handler
    #1 destructor" "$key" 2
done_testing
