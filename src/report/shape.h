/* Shapes of races that come again and again, and what usually fixes them. A shape is recognised by what was
 * observed of the race, or stands in the lines of source of its accesses; where that is not enough, nothing
 * is said. */
#pragma once

#include "report/live.h"

struct shape shape_of_race(const struct live_race *race, struct pool *pool);
