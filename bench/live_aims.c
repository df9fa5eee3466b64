#include <math.h>
#include <stdio.h>

#include "live_tables.h"

/* What pfcc does with clang 19 unless it is told otherwise. */
static const enum tool by_default = BIGFOOT;

/* Above the first aim there is. */
static void print_headline(void)
{
    static bool printed;
    if (!printed)
        printf("\nAims, in CPU time:\n");
    printed = true;
}

static void print_aim(const char *aim, struct mean found, double most)
{
    if (found.counted == 0)
        return;
    print_headline();
    printf("  %-74s %.2f  %s", aim, found.value, found.value <= most ? "PASS" : "over");
    if (found.left_out > 0)
        printf(" (%zu cells left out)", found.left_out);
    putchar('\n');
}

/* In no cell more than TSan. */
static void print_every_cell(const struct cells *cells)
{
    size_t above = 0, asked = 0;
    for (size_t i = 0; i < cells->count; i++) {
        const struct cell *cell = &cells->cell[i];
        if (cell->of[by_default].verdict == RUN_NONE || cell->of[CLANG_TSAN].verdict == RUN_NONE)
            continue;
        asked++;
        above += !(cell_part(cell, CPU, by_default, CLANG_TSAN) <= 1.0);
    }
    if (asked == 0)
        return;
    print_headline();
    printf("  %-74s %zu of %zu are above  %s\n", "built with clang: every cell at most 1.0 of clang TSan",
           above, asked, above == 0 ? "PASS" : "over");
}

void live_print_aims(const struct cells *cells)
{
    print_every_cell(cells);
    print_aim("built with clang: at most 0.7 of clang TSan in the mean",
              mean_part(cells, NULL, CPU, by_default, CLANG_TSAN), 0.7);
    print_aim("built with gcc: at most 0.5 of gcc TSan in the mean",
              mean_part(cells, NULL, CPU, GCC_OURS, GCC_TSAN), 0.5);
    print_aim("peak memory, built with clang: at most clang TSan's in the mean",
              mean_part(cells, NULL, MEMORY, by_default, CLANG_TSAN), 1.0);
    print_aim("bigfoot's overhead on the kernels: at most 0.35 of checking every access",
              mean_overhead_part(cells, GROUP_KERNELS, BIGFOOT, CLANG_OURS), 0.35);
    print_aim("bigfoot's overhead on the kernels: at most 0.33 of clang TSan's",
              mean_overhead_part(cells, GROUP_KERNELS, BIGFOOT, CLANG_TSAN), 0.33);
    print_aim("bigfoot's overhead on all programs: at most 0.6 of clang TSan's",
              mean_overhead_part(cells, NULL, BIGFOOT, CLANG_TSAN), 0.6);
}
