/* Prints the value at a path of a JSON file: json_at FILE races/0/first/size. An array or object is printed
 * as its number of elements. Exit status 1: no such value; 2: the file is no JSON. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print(const json_t *value)
{
    if (json_is_string(value))
        puts(json_string_value(value));
    else if (json_is_integer(value))
        printf("%lld\n", (long long)json_integer_value(value));
    else if (json_is_array(value))
        printf("%zu\n", json_array_size(value));
    else if (json_is_object(value))
        printf("%zu\n", json_object_size(value));
    else
        puts(json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null");
}

int main(int argc, char **argv)
{
    json_error_t error;
    if (argc != 3)
        return 2;
    json_t *root = json_load_file(argv[1], JSON_REJECT_DUPLICATES, &error), *value = root;
    if (root == NULL) {
        fprintf(stderr, "%s:%d: %s\n", argv[1], error.line, error.text);
        return 2;
    }
    for (char *part = strtok(argv[2], "/"); part != NULL && value != NULL; part = strtok(NULL, "/"))
        value =
            json_is_array(value) ? json_array_get(value, (size_t)atoi(part)) : json_object_get(value, part);
    if (value != NULL)
        print(value);
    json_decref(root);
    return value == NULL;
}
