/* A race of a running program from its JSON: the way back from live_race_json(). */
#pragma once

#include <jansson.h>

#include "base/problem.h"
#include "report/live.h"

/* Members that are missing, or unknown, are as if nothing had been known of them. False: it cannot be a race
 * of a running program. Everything lies in the pool, or lives as long as the JSON. */
bool live_race_read(struct live_race *race, const json_t *json, struct pool *pool, struct problem *problem);
