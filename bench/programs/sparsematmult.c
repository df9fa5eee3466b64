/* Sparse matrix times vector, again and again: y += A x, where A is a list of elements (row, column, value)
 * in the order of their rows. Each thread has a part of the rows, so that no two share an element of y. Java
 * Grande's kernel of that name. SIZE is the number of rows; values are small integers, so that the result is
 * exact. */
#include "program.h"

enum { ELEMENTS_OF_A_ROW = 5, TIMES = 200 };

static size_t elements;
static size_t *first_of_row; /* the first element of each row, and of the row after the last */
static uint32_t *row, *column;
static double *value, *x, *y;

static void add_product(double *to, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        to[row[i]] += x[column[i]] * value[i];
}

static void work(unsigned me)
{
    size_t first = first_of_row[share(size, me)], end = first_of_row[share(size, me + 1)];
    for (int time = 0; time < TIMES; time++)
        add_product(y, first, end);
}

static double small_integer(uint32_t *seed)
{
    return (double)(random_next(seed) >> 8 & 0xff) - 128;
}

/* Elements at random places: counts the elements of each row, then gives each its place among them. */
static void make_matrix(uint32_t seed)
{
    uint32_t *row_of = program_memory(elements, sizeof *row_of);
    for (size_t i = 0; i < elements; i++)
        row_of[i] = (uint32_t)(random_next(&seed) % size);
    for (size_t i = 0; i < elements; i++)
        first_of_row[row_of[i] + 1]++;
    for (size_t i = 0; i < size; i++)
        first_of_row[i + 1] += first_of_row[i];
    size_t *next = program_memory(size, sizeof *next);
    for (size_t i = 0; i < size; i++)
        next[i] = first_of_row[i];
    for (size_t i = 0; i < elements; i++) {
        size_t at = next[row_of[i]]++;
        row[at] = row_of[i];
        column[at] = (uint32_t)(random_next(&seed) % size);
        value[at] = small_integer(&seed);
    }
    free(next);
    free(row_of);
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 50000);
    elements = size * ELEMENTS_OF_A_ROW;
    first_of_row = program_memory(size + 1, sizeof *first_of_row);
    row = program_memory(elements, sizeof *row);
    column = program_memory(elements, sizeof *column);
    value = program_memory(elements, sizeof *value);
    x = program_memory(size, sizeof *x);
    y = program_memory(size, sizeof *y);
    uint32_t seed = 10101010;
    for (size_t i = 0; i < size; i++)
        x[i] = small_integer(&seed);
    make_matrix(seed);
    program_run(work);
    double *once = program_memory(size, sizeof *once);
    add_product(once, 0, elements);
    uint64_t right = 0;
    for (size_t i = 0; i < size; i++)
        right += y[i] == TIMES * once[i];
    return program_end("elements that are right", right, size);
}
