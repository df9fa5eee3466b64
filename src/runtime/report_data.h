/* What is known about a race inside the process, and the two things that can be done with it: packed into a
 * message for the process that writes reports, or, where there is none, printed as it is. All under the
 * report's lock. */
#pragma once

#include "report/wire.h"
#include "runtime/history.h"
#include "runtime/location.h"
#include "runtime/report.h"

struct report_data {
    struct thread *thread; /* of the current access: the calling one */
    uint32_t node;
    const struct race_access_live *current;
    const struct race_found *found;
    const struct thread *earlier; /* NULL: not known any more */
    bool known;                   /* the earlier access is in its thread's history: */
    struct access_site site;
    struct location location;
    /* what a plain write made of 8 bytes that are read now; 0: it is another kind of race */
    uintptr_t pointer;
};

/* The message; its length in *length. */
HIDDEN struct wire_header *report_pack(const struct report_data *data, size_t *length);

HIDDEN bool report_plain(const struct report_data *data, int fd);

/* 0: not known any more. The shadow knows the words, not how many of them one access was. */
hot_inline size_t report_earlier_size(const struct report_data *d)
{
    return d->known ? d->site.size : 0;
}

hot_inline uintptr_t report_earlier_address(const struct report_data *d)
{
    return d->known ? d->site.address : d->found->address;
}
