#include "replay/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_AFTER_MS = 1000, AGAIN_AFTER_MS = 200, CALLS_PER_LOOK = 64, BAR_WIDTH = 30 };

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void progress_start(struct progress *p, const char *what)
{
    uint64_t now = now_ms();
    *p = (struct progress){.what = what, .enabled = isatty(STDERR_FILENO), .started = now, .last = now};
}

static void draw(const struct progress *p, uint64_t done, uint64_t total, uint64_t events, uint64_t now)
{
    double rate = (double)events / (double)(now - p->started) / 1000;
    if (total == 0) {
        fprintf(stderr, "\r%s: %" PRIu64 " events, %.1f M/s \033[K", p->what, events, rate);
        return;
    }
    int filled = (int)(done * BAR_WIDTH / total);
    fprintf(stderr, "\r%s: [%.*s%*s] %3d%%, %" PRIu64 " events, %.1f M/s \033[K", p->what, filled,
            "##############################", BAR_WIDTH - filled, "", (int)(done * 100 / total), events,
            rate);
}

void progress_update(struct progress *p, uint64_t done, uint64_t total, uint64_t events)
{
    if (!p->enabled || ++p->calls % CALLS_PER_LOOK != 0)
        return;
    uint64_t now = now_ms();
    if (now - p->started < FIRST_AFTER_MS || now - p->last < AGAIN_AFTER_MS)
        return;
    p->last = now;
    p->shown = true;
    draw(p, done > total ? total : done, total, events, now);
    fflush(stderr);
}

void progress_end(struct progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
