usual=4 # megabytes
make_input() { some_text "$size"; }
workload() { command=(CPP/7zip/Bundles/Alone7z/_o/7zr a -mmt"$threads" -mx3 -m0=lzma2:c256k "$result.7z" "$input"); }
digest() { cat "$1.7z"; }
