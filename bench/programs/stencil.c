/* Stencil: five points of a square that is closed at its edges, in bands of rows; a barrier after each sweep.
 * The rows next to a band are another thread's. A sweep multiplies the sum by 3 + 4, which gives the result
 * away. */
#include "program.h"

enum { SIDE = 512 };

static uint64_t (*grid[2])[SIDE];
static size_t sweeps;
static pthread_barrier_t barrier;

static void sweep_row(uint64_t (*to)[SIDE], uint64_t (*from)[SIDE], size_t y)
{
    const uint64_t *above = from[(y + SIDE - 1) % SIDE], *row = from[y], *below = from[(y + 1) % SIDE];
    for (size_t x = 1; x < SIDE - 1; x++)
        to[y][x] = 3 * row[x] + row[x - 1] + row[x + 1] + above[x] + below[x];
    to[y][0] = 3 * row[0] + row[SIDE - 1] + row[1] + above[0] + below[0];
    to[y][SIDE - 1] = 3 * row[SIDE - 1] + row[SIDE - 2] + row[0] + above[SIDE - 1] + below[SIDE - 1];
}

static void work(unsigned me)
{
    for (size_t sweep = 0; sweep < sweeps; sweep++) {
        for (size_t y = share(SIDE, me); y < share(SIDE, me + 1); y++)
            sweep_row(grid[(sweep + 1) % 2], grid[sweep % 2], y);
        pthread_barrier_wait(&barrier);
    }
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 32);
    sweeps = size;
    grid[0] = program_memory(SIDE, sizeof *grid[0]);
    grid[1] = program_memory(SIDE, sizeof *grid[1]);
    uint64_t expected = 0, sum = 0;
    for (size_t y = 0; y < SIDE; y++)
        for (size_t x = 0; x < SIDE; x++)
            expected += grid[0][y][x] = y * x + 1;
    for (size_t sweep = 0; sweep < sweeps; sweep++)
        expected *= 7;
    pthread_barrier_init(&barrier, NULL, threads);
    program_run(work);
    for (size_t y = 0; y < SIDE; y++)
        for (size_t x = 0; x < SIDE; x++)
            sum += grid[sweeps % 2][y][x];
    return program_end("the sum", sum, expected);
}
