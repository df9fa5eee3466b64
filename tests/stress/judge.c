/* Are the races that the detector told of, live, those of the execution?
 *
 *   stress_judge ANSWER TOLD    ANSWER: what `photofinish analyze --json` says of the execution's trace
 *
 * Every byte that was told of is one of the trace's racy variables (b0, b1 ...; b1.2 is byte 1, too); and every racy variable is a byte of
 * an access that was told of: a race is told of once an access, for its first byte that races.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 18 };

static bool racy[MOST_BYTES], covered[MOST_BYTES];

static _Noreturn void give_up(const char *file, const char *why)
{
    fprintf(stderr, "stress_judge: %s: %s\n", file, why);
    exit(2);
}

static unsigned read_answer(const char *file)
{
    json_error_t error;
    json_t *answer = json_load_file(file, 0, &error), *name;
    if (answer == NULL)
        give_up(file, error.text);
    json_t *names = json_object_get(answer, "racy_variables");
    if (!json_is_array(names) || !json_is_true(json_object_get(answer, "precise")))
        give_up(file, "not the answer of a precise detector");
    size_t i;
    json_array_foreach(names, i, name)
    {
        unsigned long byte = strtoul(json_string_value(name) + 1, NULL, 10);
        if (byte >= MOST_BYTES)
            give_up(file, json_string_value(name));
        racy[byte] = true;
    }
    unsigned count = 0;
    for (unsigned byte = 0; byte < MOST_BYTES; byte++)
        count += racy[byte];
    json_decref(answer);
    return count;
}

/* How many were wrong. */
static unsigned read_told(const char *file, unsigned *count)
{
    FILE *in = fopen(file, "r");
    if (in == NULL)
        give_up(file, "cannot be read");
    unsigned wrong = 0;
    long access, byte;
    size_t size;
    for (*count = 0; fscanf(in, "%ld %zu %ld", &access, &size, &byte) == 3; ++*count) {
        bool sane = access >= 0 && access + size <= MOST_BYTES && byte >= access && byte < access + (long)size;
        if (!sane || !racy[byte]) {
            printf("told of a race at byte %ld, in an access of %zu at %ld: there is none\n", byte, size, access);
            wrong++;
        }
        if (sane)
            memset(covered + access, true, size);
    }
    fclose(in);
    return wrong;
}

int main(int count, char **argument)
{
    if (count != 3)
        give_up("usage", "stress_judge ANSWER TOLD");
    unsigned told, racy_count = read_answer(argument[1]), wrong = read_told(argument[2], &told);
    for (unsigned byte = 0; byte < MOST_BYTES; byte++)
        if (racy[byte] && !covered[byte]) {
            printf("not told of a race at byte %u\n", byte);
            wrong++;
        }
    printf("%u racy bytes, %u races told, %u wrong\n", racy_count, told, wrong);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
