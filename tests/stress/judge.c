/* Are the races that the detector told of, live, those of the execution?
 *
 *   stress_judge ANSWER TOLD               ANSWER: what `photofinish analyze --json` says of the execution's trace
 *   stress_judge ANSWER RECORDED PLACES    RECORDED: what it says of the execution's recording
 *
 * Every byte that was told of is one of the trace's racy variables (b0, b1 ...; b1.2 is byte 1, too); and every racy variable is a byte of
 * an access that was told of: a race is told of once an access, for its first byte that races. A recording's variables
 * are bytes that were always accessed together, at most up to the next multiple of 8; those of the heap, which is given
 * out again and again, are left out.
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

static json_t *racy_variables(const char *file)
{
    json_error_t error;
    json_t *answer = json_load_file(file, 0, &error);
    if (answer == NULL)
        give_up(file, error.text);
    json_t *names = json_incref(json_object_get(answer, "racy_variables"));
    if (!json_is_array(names) || !json_is_true(json_object_get(answer, "precise")))
        give_up(file, "not the answer of a precise detector");
    json_decref(answer);
    return names;
}

static unsigned read_answer(const char *file)
{
    json_t *names = racy_variables(file), *name;
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
    json_decref(names);
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

/* By its place in the arena: the number of a byte, or -1. */
enum { ARENA = 4 << 20 };
static int number_at[ARENA];

/* How many bytes there are. */
static int read_places(const char *file)
{
    FILE *in = fopen(file, "r");
    if (in == NULL)
        give_up(file, "cannot be read");
    int count = 0, number;
    long at;
    memset(number_at, -1, sizeof number_at);
    for (; fscanf(in, "%ld %d", &at, &number) == 2; count++)
        if (at < 0 || at >= ARENA || number < 0 || number >= MOST_BYTES)
            give_up(file, "out of range");
        else
            number_at[at] = number;
    fclose(in);
    return count;
}

static unsigned read_recorded(const char *file, const char *places, unsigned *count)
{
    json_t *names = racy_variables(file), *name;
    int bytes = read_places(places);
    unsigned wrong = 0;
    size_t i;
    memset(covered + bytes, true, MOST_BYTES - (size_t)bytes); /* the heap */
    json_array_foreach(names, i, name)
    {
        const char *text = json_string_value(name);
        if (strncmp(text, "arena", strlen("arena")) != 0)
            continue;
        unsigned long at = text[strlen("arena")] == '+' ? strtoul(text + strlen("arena+"), NULL, 10) : 0;
        if (at >= ARENA || number_at[at] < 0 || !racy[number_at[at]]) {
            printf("recorded a race of %s: there is none\n", text);
            wrong++;
        }
        for (; at < ARENA && number_at[at] >= 0; at++) {
            covered[number_at[at]] = true;
            if (at % 8 == 7)
                break;
        }
        ++*count;
    }
    json_decref(names);
    return wrong;
}

int main(int count, char **argument)
{
    if (count != 3 && count != 4)
        give_up("usage", "stress_judge ANSWER TOLD, or stress_judge ANSWER RECORDED PLACES");
    unsigned told = 0, racy_count = read_answer(argument[1]);
    unsigned wrong =
        count == 3 ? read_told(argument[2], &told) : read_recorded(argument[2], argument[3], &told);
    for (unsigned byte = 0; byte < MOST_BYTES; byte++)
        if (racy[byte] && !covered[byte]) {
            printf("not told of a race at byte %u\n", byte);
            wrong++;
        }
    printf("%u racy bytes, %u races told, %u wrong\n", racy_count, told, wrong);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
