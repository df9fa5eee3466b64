usual=750 # lines of the picture
workload() {
    command=(compile/linux-64-thr/tachyon scenes/teapot.dat -numthreads "$threads" -res "$size" "$size" -format PPM -o "$result.ppm")
}
digest() { cat "$1.ppm"; }
