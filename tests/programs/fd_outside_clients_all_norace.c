/* environment: TSAN_OPTIONS=io_sync=2 */
/* With io_sync=2 the order through the other process counts. */
#include "fd_outside_clients_race.c"
