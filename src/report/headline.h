/* A race in one sentence, and its parts in a few words: what annotations, lists and titles show. */
#pragma once

#include "report/live.h"

/* "Data race on global 'balance': write of 4 bytes by the main thread in withdraw, after a write of 4 bytes
 * by thread T1 in deposit" */
const char *live_race_headline(const struct live_race *race, bool precise, struct pool *pool);
/* "write of 4 bytes by the main thread in withdraw" */
const char *live_access_headline(const struct live_access *access, struct pool *pool);
/* "global 'balance'" */
const char *live_location_headline(const struct live_location *location, struct pool *pool);
