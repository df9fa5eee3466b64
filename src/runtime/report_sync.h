/* What might have ordered the two accesses of a race, out of what their threads have acquired and released:
 * the few events that a report tells of. */
#pragma once

#include "runtime/past_sync.h"
#include "runtime/report_data.h"

enum { REPORT_MOST_SYNC = WIRE_MOST_SYNC };

struct report_sync {
    struct past_sync what;
    bool second;  /* it was the thread of the current access that did it; that is all before its access */
    bool after;   /* after its thread's access */
    bool reached; /* the other thread knew of it */
};

struct report_syncs {
    struct report_sync event[REPORT_MOST_SYNC];
    size_t count;
    uint64_t flags; /* WIRE_KNOWN_* */
};

/* Nothing under the generic host: it keeps no clocks, and no such history. */
HIDDEN void report_sync_find(const struct report_data *data, struct report_syncs *found);
