#include "runtime/maps.h"

#include "runtime/secure.h"

/* A line is "from-to perm offset device inode path"; the longest path is 4096. */
struct lines {
    int fd;
    size_t at, length; /* of what is in the buffer */
    char buffer[8192];
};

static bool refill(struct lines *l)
{
    size_t kept = l->length - l->at;
    for (size_t i = 0; i < kept; i++)
        l->buffer[i] = l->buffer[l->at + i];
    l->at = 0;
    l->length = kept;
    if (kept == sizeof l->buffer)
        return false;
    long got = sys_call3(SYS_read, l->fd, (long)(l->buffer + kept), (long)(sizeof l->buffer - kept));
    if (got <= 0)
        return false;
    l->length += (size_t)got;
    return true;
}

/* The next line without its end; NULL after the last. */
static char *next_line(struct lines *l)
{
    size_t end = l->at;
    for (;;) {
        while (end < l->length && l->buffer[end] != '\n')
            end++;
        if (end < l->length)
            break;
        end -= l->at;
        if (!refill(l))
            return NULL;
    }
    char *line = l->buffer + l->at;
    l->buffer[end] = '\0';
    l->at = end + 1;
    return line;
}

static uint64_t hex(char **at)
{
    uint64_t number = 0;
    for (;; (*at)++) {
        char c = **at;
        if (c >= '0' && c <= '9')
            number = number << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            number = number << 4 | (uint64_t)(c - 'a' + 10);
        else
            return number;
    }
}

static void skip_field(char **at)
{
    while (**at != '\0' && **at != ' ')
        (*at)++;
    while (**at == ' ')
        (*at)++;
}

static struct mapping parse(char *line)
{
    struct mapping m;
    m.from = hex(&line);
    line += *line == '-';
    m.to = hex(&line);
    skip_field(&line);
    m.executable = line[0] != '\0' && line[1] != '\0' && line[2] == 'x';
    skip_field(&line);
    m.offset = hex(&line);
    skip_field(&line);
    skip_field(&line); /* device */
    skip_field(&line); /* inode */
    m.path = line;
    return m;
}

/* Those of the thread: where the main thread has ended before the others, it has none any more. (Linux 3.17.)
 */
static long open_maps(void)
{
    long fd = secure_open("/proc/thread-self/maps");
    return fd >= 0 ? fd : secure_open("/proc/self/maps");
}

void maps_each(bool (*visit)(void *context, const struct mapping *mapping), void *context)
{
    static struct lines lines;
    long fd = open_maps();
    if (fd < 0)
        return;
    lines.fd = (int)fd;
    lines.at = lines.length = 0;
    for (char *line; (line = next_line(&lines)) != NULL;) {
        struct mapping m = parse(line);
        if (!visit(context, &m))
            break;
    }
    sys_call3(SYS_close, fd, 0, 0);
}

/* --- images --- */

struct images {
    bool (*visit)(void *context, const struct image *image);
    void *context;
    bool open, has_code, goes_on;
    struct image image;
};

static bool same_path(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

static void finish_image(struct images *s)
{
    if (s->open && s->has_code && s->goes_on)
        s->goes_on = s->visit(s->context, &s->image);
    s->open = false;
}

static void begin_image(struct images *s, const struct mapping *m)
{
    size_t i = 0;
    for (; m->path[i] != '\0' && i + 1 < sizeof s->image.path; i++)
        s->image.path[i] = m->path[i];
    s->image.path[i] = '\0';
    s->image.from = m->from;
    s->image.unloaded = false;
    s->open = true;
    s->has_code = false;
}

static bool add_mapping(void *context, const struct mapping *m)
{
    struct images *s = context;
    bool more =
        s->open && (same_path(m->path, s->image.path) || (m->path[0] == '\0' && m->from == s->image.to));
    if (!more) {
        finish_image(s);
        if (m->path[0] == '/')
            begin_image(s, m);
    }
    if (!s->open)
        return s->goes_on;
    s->image.to = m->to;
    if (m->executable && !s->has_code && m->path[0] == '/') {
        s->has_code = true;
        s->image.code = m->from;
        s->image.offset = m->offset;
    }
    return s->goes_on;
}

/* --- what was unloaded --- */

static struct spin lock;
static struct arena memory;
static const struct closed_image *closed; /* grows at its head; entries never change */

void maps_remember(const struct closed_image *image)
{
    size_t length = 0;
    while (image->path[length] != '\0')
        length++;
    spin_lock(&lock);
    for (const struct closed_image *c = closed; c != NULL; c = c->next)
        if (c->from == image->from && c->to == image->to && same_path(c->path, image->path)) {
            spin_unlock(&lock); /* it comes and goes */
            return;
        }
    struct closed_image *c = arena_take(&memory, sizeof *c);
    char *path = arena_take(&memory, length + 1);
    for (size_t i = 0; i < length; i++)
        path[i] = image->path[i];
    *c = *image;
    c->path = path;
    c->next = closed;
    store_release(&closed, c);
    spin_unlock(&lock);
}

static void each_closed(struct images *s)
{
    for (const struct closed_image *c = load_acquire(&closed); c != NULL && s->goes_on; c = c->next) {
        begin_image(s, &(struct mapping){.from = c->from, .path = c->path});
        s->image.to = c->to;
        s->image.unloaded = true;
        s->image.code = c->code;
        s->image.offset = c->offset;
        s->has_code = true;
        finish_image(s);
    }
}

void maps_each_image(bool (*visit)(void *context, const struct image *image), void *context)
{
    static struct images s;
    s.visit = visit;
    s.context = context;
    s.open = false;
    s.goes_on = true;
    maps_each(add_mapping, &s);
    finish_image(&s);
    each_closed(&s);
}
