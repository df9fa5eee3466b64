/* Why nothing orders the two accesses of a race, in words. */
#pragma once

#include "report/live.h"

struct explanation explain_race(const struct live_race *race, struct pool *pool);

/* --- parts of it that others ask for, too --- */

/* What the thread of the earlier access, or of the current one, did with the same object other than release
 * it, latest first. NULL: nothing that is known. */
const struct live_sync *sync_find(const struct live_race *race, bool second, const struct live_sync *like);

/* A lock that both held at their accesses: for reading only, or not. NULL: none. */
const struct live_mutex *lock_in_common(const struct live_race *race, bool reading);

/* Of an operation on an atomic variable: "acquire", "release", "acquire and release", "relaxed". */
const char *sync_order_word(const struct live_sync *sync);
