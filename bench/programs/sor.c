/* SOR: successive over-relaxation of a square grid in red-black order, with a barrier after each colour. Java
 * Grande's kernel of that name. SIZE is the side of the square, without its edges, which stay 0.
 *
 * The grid starts as an eigenvector of what one iteration does (Young): where v is an eigenvector of taking
 * the mean of the four neighbours, with eigenvalue m, the red points of v and root times the black ones are
 * multiplied by root^2, if root^2 - OMEGA m root + OMEGA - 1 = 0. So the result of every point is known. */
#include <math.h>

#include "program.h"

enum { ITERATIONS = 100, SMALLEST = 8 }; /* on smaller grids the root is not real */

static const double OMEGA = 1.25, pi = 3.14159265358979323846;

static double **grid;
static size_t side;
static double *wave, root; /* of the eigenvector and the equation above */
static pthread_barrier_t barrier;

static void relax_row(size_t i, size_t colour)
{
    const double *above = grid[i - 1], *below = grid[i + 1];
    double *row = grid[i];
    for (size_t j = 1 + (i + colour + 1) % 2; j <= side; j += 2)
        row[j] = OMEGA / 4 * (above[j] + below[j] + row[j - 1] + row[j + 1]) + (1 - OMEGA) * row[j];
}

static void work(unsigned me)
{
    for (size_t iteration = 0; iteration < ITERATIONS; iteration++)
        for (size_t colour = 0; colour < 2; colour++) {
            for (size_t i = 1 + share(side, me); i < 1 + share(side, me + 1); i++)
                relax_row(i, colour);
            pthread_barrier_wait(&barrier);
        }
}

static void find_eigenvector(void)
{
    double step = pi / (double)(side + 1), half = OMEGA * cos(step) / 2;
    root = half + sqrt(half * half - (OMEGA - 1));
    wave = program_memory(side + 2, sizeof *wave);
    for (size_t i = 1; i <= side; i++)
        wave[i] = sin((double)i * step);
}

static double first_value(size_t i, size_t j)
{
    return (i + j) % 2 == 0 ? wave[i] * wave[j] : wave[i] * wave[j] * root;
}

static void make_grid(void)
{
    grid = program_memory(side + 2, sizeof *grid);
    for (size_t i = 0; i < side + 2; i++)
        grid[i] = program_memory(side + 2, sizeof **grid);
    for (size_t i = 1; i <= side; i++)
        for (size_t j = 1; j <= side; j++)
            grid[i][j] = first_value(i, j);
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 800);
    side = size < SMALLEST ? SMALLEST : size;
    find_eigenvector();
    make_grid();
    pthread_barrier_init(&barrier, NULL, threads);
    program_run(work);
    uint64_t right = 0;
    double factor = pow(root, 2 * ITERATIONS);
    for (size_t i = 1; i <= side; i++)
        for (size_t j = 1; j <= side; j++)
            right += fabs(grid[i][j] - first_value(i, j) * factor) < 1e-12;
    return program_end("points that are right", right, (uint64_t)side * side);
}
