about="jansson: JSON values with counted references, which threads may share (C)"
package=jansson
needs="cmake"

configure() { cmake -S . -B out -DCMAKE_BUILD_TYPE= -DCMAKE_C_FLAGS="$CFLAGS" -DJANSSON_BUILD_DOCS=OFF -DJANSSON_BUILD_SHARED_LIBS=OFF; }
build() { make -j1 -C out jansson; }
build_tests() {
    make -j1 -C out &&
        "$CC" $CFLAGS -Iout/include "$recipes/../../bench/real/jansson.c" out/lib/libjansson.a -o jansson_threads -pthread
}
check() { ctest --test-dir out; }
results() { grep -oE 'Test +#[0-9]+: [a-z0-9_]+ \.+ +[A-Za-z]+' | sed 's/ \.*  */ /g'; }

work() { ./jansson_threads 4 2000; }

known=(
    "json_*cref json_*cref: real: the count is compared with -1 by a plain read before it is changed by an atomic operation"
    "? json_*cref: real: the same, its place no longer known"
)
