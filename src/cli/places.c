#include "cli/places.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/symbols.h"

struct image {
    uint64_t from, to, bias;
    const char *path;
    struct module *module;
};

struct stack {
    const uint64_t *pc;
    size_t count;
};

struct site {
    uint64_t pc;
    uint32_t node;
};

struct places {
    struct pool pool;
    struct mem mem;
    struct symbols *symbols;
    struct image *image; /* the latest last */
    size_t image_count, image_capacity;
    struct stack *stack; /* by node */
    size_t stack_capacity;
    struct site *site; /* by number; pc 0: none */
    size_t site_capacity;
    size_t written; /* images */
};

struct places *places_new(void)
{
    struct mem mem = {0};
    struct places *p = mem_alloc(&mem, sizeof *p);
    p->symbols = symbols_new();
    p->mem = mem;
    return p;
}

void places_free(struct places *p)
{
    mem_free(&p->mem, p->site, p->site_capacity * sizeof *p->site);
    mem_free(&p->mem, p->image, p->image_capacity * sizeof *p->image);
    mem_free(&p->mem, p->stack, p->stack_capacity * sizeof *p->stack);
    symbols_free(p->symbols);
    pool_free(&p->pool);
    struct mem mem = p->mem;
    mem_free(&mem, p, sizeof *p);
}

/* --- writing --- */

struct entry {
    char *bytes;
    size_t size;
    FILE *out;
};

static void begin_entry(struct entry *e)
{
    e->out = open_memstream(&e->bytes, &e->size);
    if (e->out == NULL)
        tool_failed("out of memory");
}

static void put_number(FILE *out, uint64_t number)
{
    fwrite(&number, sizeof number, 1, out);
}

static void put_text(FILE *out, const char *text, size_t length)
{
    put_number(out, length);
    fwrite(text, 1, length, out);
}

static bool end_entry(struct entry *e, const struct places_writer *to)
{
    fclose(e->out);
    bool good = to->put(to->context, e->bytes, e->size);
    free(e->bytes);
    return good;
}

/* --- modules --- */

struct mapping {
    uint64_t from, to, offset;
    bool executable;
    const char *path; /* "" for anonymous memory */
};

/* The image of a file: consecutive mappings of it, and anonymous memory that follows directly. */
struct open_image {
    uint64_t from, to, code, offset;
    bool has_code;
    char path[4096];
};

static void add_image(struct places *p, const struct open_image *o)
{
    if (!o->has_code)
        return;
    for (size_t i = 0; i < p->image_count; i++)
        if (p->image[i].from == o->from && strcmp(p->image[i].path, o->path) == 0) {
            p->image[i].to = o->to > p->image[i].to ? o->to : p->image[i].to;
            return;
        }
    p->image = mem_reserve(&p->mem, p->image, sizeof *p->image, &p->image_capacity, p->image_count + 1);
    struct module *module = symbols_module(p->symbols, o->path);
    p->image[p->image_count++] = (struct image){.from = o->from,
                                                .to = o->to,
                                                .bias = symbols_bias(module, o->code, o->offset, o->from),
                                                .path = pool_text(&p->pool, o->path, strlen(o->path)),
                                                .module = module};
}

static void add_mapping(struct places *p, struct open_image *o, const struct mapping *m)
{
    bool goes_on =
        o->path[0] != '\0' && (strcmp(m->path, o->path) == 0 || (m->path[0] == '\0' && m->from == o->to));
    if (!goes_on) {
        add_image(p, o);
        *o = (struct open_image){.from = m->from};
        if (m->path[0] == '/')
            snprintf(o->path, sizeof o->path, "%s", m->path);
    }
    o->to = m->to;
    if (m->executable && m->path[0] == '/' && !o->has_code) {
        o->has_code = true;
        o->code = m->from;
        o->offset = m->offset;
    }
}

static void write_images(struct places *p, const struct places_writer *to)
{
    for (bool good = true; p->written < p->image_count && good; p->written++) {
        const struct image *image = &p->image[p->written];
        struct entry e;
        begin_entry(&e);
        put_number(e.out, image->from);
        put_number(e.out, image->to);
        put_number(e.out, image->bias);
        put_text(e.out, image->path, strlen(image->path));
        good = end_entry(&e, to);
    }
}

/* False: there is nothing in it. */
static bool read_maps(struct places *p, const char *name)
{
    char line[8192];
    bool any = false;
    struct open_image open = {.from = 0};
    FILE *maps = fopen(name, "re");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        struct mapping m;
        char rights[5];
        int path = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &m.from, &m.to, rights,
                   &m.offset, &path) < 4)
            continue;
        line[strcspn(line, "\n")] = '\0';
        m.path = path > 0 ? line + path : "";
        m.executable = rights[2] == 'x';
        add_mapping(p, &open, &m);
        any = true;
    }
    add_image(p, &open);
    if (maps != NULL)
        fclose(maps);
    return any;
}

/* The main thread may have ended: the others have the same memory. */
static void read_maps_of_threads(struct places *p, uint32_t pid)
{
    char name[64];
    bool any = false;
    snprintf(name, sizeof name, "/proc/%" PRIu32 "/task", pid);
    DIR *threads = opendir(name);
    for (struct dirent *e; threads != NULL && !any && (e = readdir(threads)) != NULL;) {
        snprintf(name, sizeof name, "/proc/%" PRIu32 "/task/%.16s/maps", pid, e->d_name);
        any = e->d_name[0] != '.' && read_maps(p, name);
    }
    if (threads != NULL)
        closedir(threads);
}

/* If the process is gone, or not ours to look at: addresses instead of names. */
void places_look(struct places *p, uint32_t pid, const struct places_writer *to)
{
    char name[32];
    snprintf(name, sizeof name, "/proc/%" PRIu32 "/maps", pid);
    if (!read_maps(p, name))
        read_maps_of_threads(p, pid);
    write_images(p, to);
}

static const struct image *image_at(const struct places *p, uint64_t address)
{
    for (size_t i = p->image_count; i-- > 0;)
        if (address >= p->image[i].from && address < p->image[i].to)
            return &p->image[i];
    return NULL;
}

/* --- stacks --- */

void places_record(struct places *p, const struct tape_slot *s)
{
    if (s->op == TAPE_SITE) {
        p->site = mem_reserve(&p->mem, p->site, sizeof *p->site, &p->site_capacity, (size_t)s->a + 1);
        p->site[s->a] = (struct site){s->b, (uint32_t)(s->c >> 8)};
    } else if (s->op == TAPE_STACK) {
        uint64_t *own = pool_take(&p->pool, s->b * sizeof *own);
        memcpy(own, s->frames, s->b * sizeof *own);
        p->stack = mem_reserve(&p->mem, p->stack, sizeof *p->stack, &p->stack_capacity, (size_t)s->a + 1);
        p->stack[s->a] = (struct stack){own, s->b};
    }
}

static void put_frame(struct pool *pool, FILE *out, const struct symbol_frame *f)
{
    if (f->file != NULL)
        fprintf(out, "%s:%" PRIu32, f->file + (strncmp(f->file, "./", 2) == 0 ? 2 : 0), f->line);
    if (f->function != NULL)
        fprintf(out, "%s%s", f->file != NULL ? " " : "", symbols_demangle(pool, f->function));
}

static bool is_named(const struct image *image, const char *beginning)
{
    return strncmp(strrchr(image->path, '/') + 1, beginning, strlen(beginning)) == 0;
}

/* The runtime's: its functions stand for those of libc and the C++ library. */
static bool is_ours(const struct image *image)
{
    return is_named(image, "libphotofinish.so") || is_named(image, "libtsan.so");
}

/* The calls at a return address, inlined ones too. */
static void put_pc(struct places *p, struct pool *pool, FILE *out, uint64_t pc, const char *between)
{
    uint64_t address = pc - 1; /* inside the call, not after it */
    const struct image *image = image_at(p, address);
    const struct symbol_frame *frame;
    if (image == NULL) {
        fprintf(out, "%s0x%" PRIx64, between, address);
        return;
    }
    size_t count = symbols_frames(p->symbols, image->module, address - image->bias, &frame);
    if (is_ours(image) && frame[count - 1].function != NULL) {
        fprintf(out, "%s%s", between, symbols_demangle(pool, frame[count - 1].function));
        return;
    }
    if (count == 1 && frame->file == NULL) {
        fprintf(out, "%s%s+0x%" PRIx64, between, image->path, address - image->bias);
        between = " ";
    }
    for (size_t i = 0; i < count; i++, between = " < ")
        if (frame[i].file != NULL || frame[i].function != NULL) {
            fputs(between, out);
            put_frame(pool, out, &frame[i]);
        }
}

/* What starts threads and main is not the program's: libc or ours, as in the reports of run. */
static bool is_start(struct places *p, uint64_t pc)
{
    const struct image *image = image_at(p, pc - 1);
    const struct symbol_frame *frame;
    if (image == NULL)
        return false;
    uint64_t address = pc - 1 - image->bias;
    if (is_ours(image) || symbols_start_at(p->symbols, image->module, address))
        return true;
    size_t count = symbols_frames(p->symbols, image->module, address, &frame);
    const char *function = frame[count - 1].function;
    return function == NULL ? is_named(image, "libc.so.") : symbols_is_start(function);
}

static struct stack stack_of(struct places *p, uint32_t node)
{
    struct stack s = node < p->stack_capacity ? p->stack[node] : (struct stack){NULL, 0};
    while (s.count > 0 && is_start(p, s.pc[s.count - 1]))
        s.count--;
    return s;
}

static void put_location(struct places *p, FILE *to, const struct site *site)
{
    struct pool pool = {0};
    struct entry e;
    struct stack stack = stack_of(p, site->node);
    begin_entry(&e);
    put_pc(p, &pool, e.out, site->pc, "");
    for (size_t i = 0; i < stack.count; i++)
        put_pc(p, &pool, e.out, stack.pc[i], " < ");
    fclose(e.out);
    put_text(to, e.bytes, e.size);
    free(e.bytes);
    pool_free(&pool);
}

void places_write_texts(struct places *p, const struct places_writer *to)
{
    bool good = true;
    for (size_t i = 0; i < p->site_capacity && good; i++)
        if (p->site[i].pc != 0) {
            struct entry e;
            begin_entry(&e);
            put_number(e.out, i);
            put_location(p, e.out, &p->site[i]);
            good = end_entry(&e, to);
        }
}

/* --- variables --- */

struct listing {
    const struct places_writer *to;
    const struct image *image;
    bool good;
};

static void list_variable(void *context, const struct symbol_global *global)
{
    struct listing *l = context;
    uint64_t address = global->address + l->image->bias;
    if (!l->good || address < l->image->from || address >= l->image->to)
        return;
    struct entry e;
    begin_entry(&e);
    put_number(e.out, address);
    put_number(e.out, global->size);
    put_text(e.out, global->name, strlen(global->name));
    l->good = end_entry(&e, l->to);
}

void places_write_variables(struct places *p, const struct places_writer *to)
{
    struct listing listing = {.to = to, .good = true};
    for (size_t i = 0; i < p->image_count && listing.good; i++) {
        listing.image = &p->image[i];
        symbols_each_global(p->image[i].module, list_variable, &listing);
    }
}
