/* environment: TSAN_OPTIONS=io_sync=2 */
/* With io_sync=2 any two pipes are ordered. */
#include "fd_pipe_other_race.c"
