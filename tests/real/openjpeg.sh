about="OpenJPEG: jobs of a thread pool, tiles of wavelets, a coder of bits (C)"
package=openjpeg2
needs="cmake"

configure() {
    cmake -S . -B out -DCMAKE_BUILD_TYPE= -DCMAKE_C_FLAGS="$CFLAGS" -DBUILD_SHARED_LIBS=OFF -DBUILD_STATIC_LIBS=ON \
        -DCMAKE_DISABLE_FIND_PACKAGE_{PNG,TIFF,LCMS2,LCMS,ZLIB}=ON
}
build() { make -j1 -C out openjp2 opj_compress opj_decompress; }
check() { :; } # it wants pictures that are not part of the source
results() { cat; }

picture() {
    awk -v size="$1" 'BEGIN {
        srand(1)
        printf "P2\n%d %d\n255\n", size, size
        for (y = 0; y < size; y++)
            for (x = 0; x < size; x++)
                print int(120 + 60 * sin(x / 9) + 50 * sin(y / 7 + x * x / 3000) + rand() * 20)
    }'
}
work() {
    picture 400 >picture.pgm
    out/bin/opj_compress -i picture.pgm -o picture.j2k -threads 4 >/dev/null
    cksum <picture.j2k
    out/bin/opj_decompress -i picture.j2k -o again.pgm -threads 4 >/dev/null
    cmp picture.pgm again.pgm && echo same
}
