# pfcc builds for Linux on x86-64, and says so where something else is asked for.
. "$(dirname "$0")/lib.sh"
echo 'int main(void) { return 0; }' >empty.c
only="programs are built for Linux on x86-64, with the GNU C library, and for nothing else"
refused() { # NAME ARGUMENT...: NAME is what the line begins with
    start "$pfcc" "${@:2}" empty.c -o empty
    exits 64
    complains "pfcc: $1: $only"
    [ ! -e empty ] || fail "something was built"
}
for compiler in gcc clang-19; do
    export PF_CC=$compiler
    for argument in --target=aarch64-linux-gnu --target=i686-linux-gnu --target=x86_64-apple-darwin --target=x86_64-pc-windows-msvc \
        --target=x86_64-linux-gnux32 --target=x86_64-linux-musl --target=x86_64-linux-android --target=wasm32 -m32 -mx32 -m16; do
        refused $argument $argument
        refused $argument $argument -c
    done
    refused aarch64-linux-gnu -target aarch64-linux-gnu
    refused aarch64-linux-gnu --target aarch64-linux-gnu
    refused -m32 -m64 -m32
    echo "-target riscv64-linux-gnu -O1 -DX" >response
    refused riscv64-linux-gnu @response
    echo "--target=aarch64-linux-gnu -m64" >response
    refused --target=aarch64-linux-gnu @response
    start "$pfcc" -m32 -m64 empty.c -o empty
    exits 0
    rm empty
done
for target in x86_64-linux-gnu x86_64-pc-linux-gnu x86_64-unknown-linux-gnu; do
    PF_CC=clang-19 start "$pfcc" --target=$target empty.c -o empty
    exits 0
    PF_CC="clang-19 -target $target" start "$pfcc" empty.c -o empty
    exits 0
    rm empty
done
for compiler in aarch64-linux-gnu-gcc /usr/bin/arm-linux-gnueabihf-gcc-12 i686-w64-mingw32-gcc x86_64-w64-mingw32-gcc riscv64-linux-gnu-clang; do
    PF_CC=$compiler refused $compiler
    PF_CC="ccache $compiler" refused $compiler
done
PF_CC="clang-19 --target=aarch64-linux-gnu" refused --target=aarch64-linux-gnu
PF_CC=$(gcc -dumpmachine)-gcc start "$pfcc" empty.c -o empty
exits 0
rm empty

# nor is Photofinish built for anything else
for machine in "-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64" "-DCMAKE_SYSTEM_NAME=FreeBSD -DCMAKE_SYSTEM_PROCESSOR=x86_64"; do
    rm -rf configured
    start cmake -S "$live/../.." -B configured $machine
    exits 1
    says "Photofinish is for Linux on x86-64; this is "
done

# a misspelled option of pfcc itself
unset PF_CC
start "$pfcc" --pf-shwo empty.c
exits 64
complains "pfcc: --pf-shwo: no such option: did you mean --pf-show? (--pf-help lists them)"
start "$pfcc" --pf-frobnicate empty.c
exits 64
complains "pfcc: --pf-frobnicate: no such option (--pf-help lists them)"

# several words; one that has a blank in it
PF_CC="  gcc   -DA=3 " start "$pfcc" -xc - --pf-show
exits 0
grep -q '^gcc -DA=3 ' .out || fail "the words are not there"
mkdir "a place"
ln -s "$(command -v gcc)" "a place/gcc"
PF_CC="$PWD/a place/gcc" start "$pfcc" empty.c -o empty
exits 0
PF_CC="   " start "$pfcc" --pf-show empty.c
grep -q '^gcc ' .out || fail "blanks are no compiler"
done_testing
