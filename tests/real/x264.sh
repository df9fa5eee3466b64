about="x264: frame and slice threads, lookahead thread (C)"
package=x264
needs="nasm pkg-config"

# Without assembly: what it does to memory would not be seen, and a race in it not either.
build() { ./configure --enable-debug --extra-cflags="$CFLAGS" --disable-asm --disable-opencl --disable-avs --disable-swscale --disable-lavf --disable-ffms --disable-gpac --disable-lsmash && make -j1 x264 checkasm; }
check() { ./checkasm8; ./checkasm10; }
results() { grep -E 'OK|FAILED|passed'; }

work() {
    some_text 3 | head -c $((176 * 144 * 3 / 2 * 40)) >frames.yuv
    ./x264 --quiet --no-progress --threads 4 --preset fast --input-res 176x144 --fps 25 -o frames.264 frames.yuv
    cksum <frames.264
    ./x264 --quiet --no-progress --threads 4 --sliced-threads --preset fast --input-res 176x144 --fps 25 -o frames.264 frames.yuv
    cksum <frames.264
}
