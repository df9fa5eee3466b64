/* LU factorization with partial pivoting, as LINPACK's dgefa does it: the matrix is an array of columns. One
 * thread looks for the pivot of a column and scales the column; all threads then update the columns to the
 * right of it, of which each has a part; a barrier after either. The system is then solved by one thread,
 * which looks at the residual. Java Grande's kernel of that name. SIZE is the order of the matrix. */
#include <float.h>
#include <math.h>

#include "program.h"

static double **matrix;
static double *right_side;
static size_t *pivot;
static pthread_barrier_t barrier;

static double next_element(uint32_t *seed)
{
    return (double)random_next(seed) / UINT32_MAX - 0.5;
}

static void add_scaled(double *to, double factor, const double *from, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        to[i] += factor * from[i];
}

static size_t largest(const double *column, size_t first)
{
    size_t at = first;
    for (size_t i = first + 1; i < size; i++)
        if (fabs(column[i]) > fabs(column[at]))
            at = i;
    return at;
}

static void swap(double *column, size_t i, size_t j)
{
    double value = column[i];
    column[i] = column[j];
    column[j] = value;
}

static void prepare_column(size_t k)
{
    double *column = matrix[k];
    pivot[k] = largest(column, k);
    swap(column, k, pivot[k]);
    double factor = -1 / column[k];
    for (size_t i = k + 1; i < size; i++)
        column[i] *= factor;
}

static void work(unsigned me)
{
    for (size_t k = 0; k < size; k++) {
        if (me == 0)
            prepare_column(k);
        pthread_barrier_wait(&barrier);
        size_t left = size - k - 1;
        for (size_t j = k + 1 + share(left, me); j < k + 1 + share(left, me + 1); j++) {
            swap(matrix[j], k, pivot[k]);
            add_scaled(matrix[j], matrix[j][k], matrix[k], k + 1, size);
        }
        pthread_barrier_wait(&barrier);
    }
}

/* Turns the right side into the solution. */
static void solve(double *x)
{
    for (size_t k = 0; k < size; k++) {
        swap(x, k, pivot[k]);
        add_scaled(x, x[k], matrix[k], k + 1, size);
    }
    for (size_t k = size; k-- > 0;) {
        x[k] /= matrix[k][k];
        add_scaled(x, -x[k], matrix[k], 0, k);
    }
}

/* The right side is the sum of all columns: all unknowns are 1. */
static void make_system(void)
{
    uint32_t seed = 1325;
    matrix = program_memory(size, sizeof *matrix);
    right_side = program_memory(size, sizeof *right_side);
    pivot = program_memory(size, sizeof *pivot);
    for (size_t j = 0; j < size; j++) {
        matrix[j] = program_memory(size, sizeof **matrix);
        for (size_t i = 0; i < size; i++)
            right_side[i] += matrix[j][i] = next_element(&seed);
    }
}

/* The largest element of A x - b, in units of what rounding may cost (LINPACK's normalized residual). */
static double residual(const double *x, const double *b)
{
    uint32_t seed = 1325;
    double *rest = program_memory(size, sizeof *rest);
    double worst = 0, largest_x = 0;
    for (size_t j = 0; j < size; j++) {
        largest_x = fmax(largest_x, fabs(x[j]));
        for (size_t i = 0; i < size; i++)
            rest[i] += x[j] * next_element(&seed);
    }
    for (size_t i = 0; i < size; i++)
        worst = fmax(worst, fabs(rest[i] - b[i]));
    return worst / ((double)size * 0.5 * largest_x * DBL_EPSILON);
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 600);
    make_system();
    pthread_barrier_init(&barrier, NULL, threads);
    program_run(work);
    double *x = program_memory(size, sizeof *x);
    for (size_t i = 0; i < size; i++)
        x[i] = right_side[i];
    solve(x);
    uint64_t wrong = !(residual(x, right_side) < 10);
    for (size_t i = 0; i < size; i++)
        wrong += !(fabs(x[i] - 1) < 1e-6);
    return program_end("the number of things that are wrong", wrong, 0);
}
