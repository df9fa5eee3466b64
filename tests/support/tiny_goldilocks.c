/* goldilocks with an update list of at most 6 cells: folds and collects all the time. */
#define GOLDILOCKS_CELLS 6
#define GOLDILOCKS_ID    goldilocks_tiny
#define GOLDILOCKS_NAME  "goldilocks-tiny"
#include "../../src/detect/goldilocks.c"
