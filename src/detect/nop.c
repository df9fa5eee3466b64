/* Does nothing with every event: what it costs is the price of reading, checking and driving. */
#include "detect/drive.h"

struct nop {
    struct host *host;
    uint64_t fired[1];
};

static int on_read(struct nop *self, uint32_t thread, uint32_t variable, uint64_t n)
{
    (void)self, (void)thread, (void)variable, (void)n;
    return 0;
}

static int on_write(struct nop *self, uint32_t thread, uint32_t variable, uint64_t n)
{
    return on_read(self, thread, variable, n);
}

static void on_alloc(struct nop *self, uint32_t variable)
{
    (void)self, (void)variable;
}

static void on_start(struct nop *self, uint32_t thread)
{
    (void)self, (void)thread;
}

static void on_sync(struct nop *self, const struct event *event)
{
    (void)self, (void)event;
}

static void *create(struct host *host)
{
    struct nop *self = mem_alloc(&host->mem, sizeof *self);
    self->host = host;
    return self;
}

static void extend(void *self)
{
    (void)self;
}

static void copy(void *self, uint32_t from, uint32_t to)
{
    (void)self, (void)from, (void)to;
}

static void stats(void *self, struct detector_stats *out)
{
    (void)self;
    *out = (struct detector_stats){0};
}

static void destroy(void *self)
{
    mem_free(&((struct nop *)self)->host->mem, self, sizeof(struct nop));
}

DETECTOR(nop, struct nop, .name = "nop", .source = "-", .promise = "finds nothing; prices the framework",
         .precise = false);
