usual=450 # reads
# Reads of a random genome, of which one letter in twelve is wrong.
make_input() {
    awk -v reads="$size" 'BEGIN {
        srand(1)
        for (i = 0; i < 60000; i++) genome[i] = substr("ACGT", 1 + int(rand() * 4), 1)
        for (r = 0; r < reads; r++) {
            at = int(rand() * 55000)
            printf ">read%d\n", r
            for (i = 0; i < 3000; i++) {
                draw = rand()
                if (draw < 0.03) continue
                printf "%s", draw < 0.08 ? substr("ACGT", 1 + int(rand() * 4), 1) : genome[at + i]
            }
            print ""
        }
    }'
}
workload() { command=(./minimap2 -t "$threads" -x ava-ont -K 100k "$input" "$input"); }
