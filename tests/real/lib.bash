# What recipes share. Sourced before a recipe.

# Steps of building that a recipe may do without.
configure() { :; }
build_tests() { :; }

# each COMMAND...: up to the first that fails.
each() {
    local command
    for command in "$@"; do "$command" || return; done
}

# some_text MEGABYTES: the same text every time, which compresses as prose does.
some_text() {
    awk -v megabytes="$1" 'BEGIN {
        srand(1)
        for (i = 0; i < 3000; i++) {
            word = ""
            for (j = int(rand() * 8) + 2; j > 0; j--)
                word = word sprintf("%c", 97 + int(rand() * 26))
            words[i] = word
        }
        while (size < megabytes * 1048576) {
            line = ""
            for (i = 0; i < 12; i++)
                line = line words[int(rand() * rand() * 3000)] " "
            print line
            size += length(line) + 1
        }
    }'
}
