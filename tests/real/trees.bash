# Fetching real programs and building them in trees of their own: sourced by tests/real/run and bench/real, which set
#   name   of the program; its recipe, NAME.sh here, has been sourced
#   dir    its folder: the source, and a copy of it, a tree, for each way to build it

recipes=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

say() { echo "[$name] $*" >&2; }

# Leaves the unpacked source in $dir/source. A mirror may lack the Debian part of a package; the original is enough then.
fetch() {
    [ -d "$dir/source" ] && return
    say "fetching $package"
    mkdir -p "$dir/fetch"
    (cd "$dir/fetch" && apt-get source -q --only-source "$package") >"$dir/fetch.log" 2>&1 || true
    local unpacked
    unpacked=$(find "$dir/fetch" -mindepth 1 -maxdepth 1 -type d | head -1)
    if [ -z "$unpacked" ]; then
        local original
        original=$(find "$dir/fetch" -name '*.orig.tar.*' ! -name '*.asc' | head -1)
        if [ -z "$original" ]; then
            say "no source: see $dir/fetch.log"
            return 1
        fi
        mkdir "$dir/unpacked" && tar -xf "$original" -C "$dir/unpacked"
        unpacked=$(find "$dir/unpacked" -mindepth 1 -maxdepth 1 -type d | head -1)
    fi
    mv "$unpacked" "$dir/source"
}

# new_tree TREE: as it was unpacked.
new_tree() { rm -rf "${dir:?}/$1" && cp -a "$dir/source" "$dir/$1"; }

# run_in_tree TREE COMMAND...: runs a function of the recipe there. The caller says what CC and CXX are.
run_in_tree() {
    local tree=$1
    shift
    (
        cd "$dir/$tree"
        export CC CXX CFLAGS="-O2 -g" CXXFLAGS="-O2 -g" LC_ALL=C.UTF-8
        . "$recipes/lib.bash"
        . "$recipes/$name.sh"
        set +o pipefail
        "$@"
    )
}
