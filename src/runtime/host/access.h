/* Accesses as events, for the files of this folder that make them inside the lock. */
#pragma once

#include "runtime/access.h"
#include "runtime/host/events.h"

/* Tells the detector of the access, with the lock held. found->conflict.earlier is a site's number. */
HIDDEN void access_event(struct thread *t, const struct race_access_live *a, struct race_found *found);
