about="x264: frame and slice threads, lookahead thread (C)"
package=x264
needs="nasm pkg-config"

# Without assembly: what it does to memory would not be seen, and a race in it not either.
configure() { ./configure --enable-debug --extra-cflags="$CFLAGS" --disable-asm --disable-opencl --disable-avs --disable-swscale --disable-lavf --disable-ffms --disable-gpac --disable-lsmash; }
build() { make -j1 x264; }
build_tests() { make -j1 checkasm; }
check() { ./checkasm8; ./checkasm10; }
results() { grep -E 'OK|FAILED|passed'; }

work() {
    some_text 3 | head -c $((176 * 144 * 3 / 2 * 40)) >frames.yuv
    ./x264 --quiet --no-progress --threads 4 --preset fast --input-res 176x144 --fps 25 -o frames.264 frames.yuv 2>/dev/null
    cksum <frames.264
    # What slice threads write differs from run to run, also without us; probably the race on scratch_buffer.
    ./x264 --quiet --no-progress --threads 4 --sliced-threads --preset fast --input-res 176x144 --fps 25 -o frames.264 frames.yuv 2>/dev/null && echo encoded
}

known=(
    "* thread_sync_context: real: the context of a frame's thread is copied to the next one's while that thread encodes"
    "thread_sync_context *: real: the context of a frame's thread is copied to the next one's while that thread encodes"
    "hpel_filter mbtree_propagate_*: real: slice threads go on to filter after they have said they are done; the first one's scratch_buffer is by then used by the lookahead of the next frame"
    "macroblock_cache_load_neighbours_deblock x264_8_macroblock_cache_save: real: a slice's thread looks whose slice the macroblock above is in while another writes that"
    "threadpool_thread x264_8_threadpool_delete: real: exit is a volatile int, written under a mutex and read without"
)
