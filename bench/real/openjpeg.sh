usual=1600 # lines of the picture
make_input() { picture "$size" >"$input.pgm" && echo made; }
workload() { command=(out/bin/opj_compress -threads "$threads" -i "$input.pgm" -o "$result.j2k"); }
digest() { cat "$1.j2k"; }
