usual=12 # frames
make_input() { some_text 3 | head -c $((176 * 144 * 3 / 2 * size)); }
workload() { command=(./x264 --quiet --no-progress --threads "$threads" --preset fast --input-res 176x144 --fps 25 --demuxer raw -o - "$input"); }
