/* One thread gives, another takes, through the kernel: what is written before giving and read after taking is
 * ordered; what the giver writes afterwards is not. The twin of a race-free program defines LATE and includes
 * it. */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "must.h"
#include "pair.h"

int x;
static void give(void);
static void take(void);

static void *giver(void *unused)
{
#ifndef LATE
    x = 1;
    give();
#else
    give();
    x = 1;
    unseen_signal(1);
#endif
    return unused;
}

static void *taker(void *unused)
{
    take();
#ifdef LATE
    unseen_wait(1);
#endif
    x = 2;
    return unused;
}

static inline int message(void)
{
    pair(giver, taker);
    return 0;
}
