#include "report/race.h"

const char *const race_kind_name[] = {
    [RACE_WRITE_WRITE] = "write-write",
    [RACE_WRITE_READ] = "write-read",
    [RACE_READ_WRITE] = "read-write",
};
