about="tachyon: a ray tracer, whose threads wait for each other by atomic counters (C)"
package=tachyon
needs=""

# As its own linux-64-thr does it, without the options for more speed.
build() {
    local target=linux-64-thr
    make -j1 -C unix all ARCH=$target CC="$CC" CFLAGS="$CFLAGS -Wall -DLinux -DTHR -DUSEATOMICBARRIERS -DUSEGCCATOMICS -D_REENTRANT" \
        AR=ar ARFLAGS=r STRIP=true RANLIB=ranlib LIBS="-L. -ltachyon -lm -lpthread"
}
check() { :; } # it has none
results() { cat; }

work() {
    local scene
    for scene in balls dna teapot; do
        compile/linux-64-thr/tachyon scenes/$scene.dat -numthreads 4 -res 96 96 -format PPM -o picture.ppm >/dev/null
        cksum <picture.ppm
    done
}
