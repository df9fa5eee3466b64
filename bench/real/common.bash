# What build and the launchers of real programs share. Who sources it sets `name` and `dir`, the program's folder below
# BUILD/real, which the tests have in common with us.
#
# A program has two recipes: that of tests/real, which fetches and builds it, and NAME.sh here, with
#
#   usual        the size of the workload when none is asked for
#   make_input   prints the input for $size; without it there is none
#   workload     sets `command`, which reads $input or standard input, and writes standard output, or files
#                whose names begin with $result; $threads and $size say how much. Called in the program's tree.
#   digest FILE  what of the result, FILE (standard output) or what FILE's name begins, must be as in a plain
#                build; without it all of standard output
#   build_work   builds what the workload needs besides the program; without it, nothing

real=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$real/../../tests/real/lib.bash"
. "$real/../../tests/real/trees.bash"
digest() { cat "$1"; }
build_work() { :; }

# For servers: the workload becomes the server, and a client beside it, whose time is not measured, sends it $input and
# ends it. What it was told is in $result.answers.
build_client() { gcc -O2 "$real/client.c" -o client; }
start_client() { # SOCKET QUESTIONS END
    rm -f "$1"
    ./client "$1" "$((threads * 2))" "$2" "$3" <"$input" >"$result.answers" &
}

. "$recipes/$name.sh"
. "$real/$name.sh"
