#include "cli/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
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

struct places {
    struct pool pool;
    struct mem mem;
    struct symbols *symbols;
    struct image *image; /* the latest last */
    size_t image_count, image_capacity;
    struct stack *stack; /* by node */
    size_t stack_capacity;
    struct map pcs;       /* to numbers from 1 */
    struct map locations; /* of number of a pc << 32 | node, + 1 */
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
    map_free(&p->pcs, &p->mem);
    map_free(&p->locations, &p->mem);
    mem_free(&p->mem, p->image, p->image_capacity * sizeof *p->image);
    mem_free(&p->mem, p->stack, p->stack_capacity * sizeof *p->stack);
    symbols_free(p->symbols);
    pool_free(&p->pool);
    struct mem mem = p->mem;
    mem_free(&mem, p, sizeof *p);
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

void places_look(struct places *p, uint32_t pid)
{
    char name[32], line[8192];
    struct open_image open = {.from = 0};
    snprintf(name, sizeof name, "/proc/%" PRIu32 "/maps", pid);
    FILE *maps = fopen(name, "re");
    if (maps == NULL)
        return; /* it is gone, or not ours to look at: addresses instead of names */
    while (fgets(line, sizeof line, maps) != NULL) {
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
    }
    add_image(p, &open);
    fclose(maps);
}

static const struct image *image_at(const struct places *p, uint64_t address)
{
    for (size_t i = p->image_count; i-- > 0;)
        if (address >= p->image[i].from && address < p->image[i].to)
            return &p->image[i];
    return NULL;
}

/* --- stacks --- */

void places_stack(struct places *p, uint32_t node, const uint64_t *pc, size_t count)
{
    uint64_t *own = pool_take(&p->pool, count * sizeof *own);
    memcpy(own, pc, count * sizeof *own);
    p->stack = mem_reserve(&p->mem, p->stack, sizeof *p->stack, &p->stack_capacity, (size_t)node + 1);
    p->stack[node] = (struct stack){own, count};
}

static void put_frame(struct pool *pool, FILE *out, const struct symbol_frame *f)
{
    if (f->file != NULL)
        fprintf(out, "%s:%" PRIu32, f->file, f->line);
    if (f->function != NULL)
        fprintf(out, "%s%s", f->file != NULL ? " " : "", symbols_demangle(pool, f->function));
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

/* What starts threads and main is not the program's. */
static bool is_start(struct places *p, uint64_t pc)
{
    const struct image *image = image_at(p, pc - 1);
    const struct symbol_frame *frame;
    if (image == NULL)
        return false;
    size_t count = symbols_frames(p->symbols, image->module, pc - 1 - image->bias, &frame);
    return symbols_is_start(frame[count - 1].function);
}

static struct stack stack_of(struct places *p, uint32_t node)
{
    struct stack s = node < p->stack_capacity ? p->stack[node] : (struct stack){NULL, 0};
    while (s.count > 0 && is_start(p, s.pc[s.count - 1]))
        s.count--;
    return s;
}

static uint32_t new_location(struct places *p, struct names *names, uint64_t pc, uint32_t node)
{
    char *text = NULL;
    size_t length = 0;
    struct pool pool = {0};
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        tool_failed("out of memory");
    struct stack stack = stack_of(p, node);
    put_pc(p, &pool, out, pc, "");
    for (size_t i = 0; i < stack.count; i++)
        put_pc(p, &pool, out, stack.pc[i], " < ");
    fclose(out);
    uint32_t location = names_location_id(names, text, length);
    free(text);
    pool_free(&pool);
    return location;
}

uint32_t places_location(struct places *p, struct names *names, uint64_t pc, uint32_t node)
{
    uint32_t *number = map_at(&p->pcs, &p->mem, pc);
    if (*number == 0)
        *number = (uint32_t)p->pcs.count;
    uint32_t *location = map_at(&p->locations, &p->mem, (uint64_t)*number << 32 | node);
    if (*location == 0)
        *location = new_location(p, names, pc, node) + 1;
    return *location - 1;
}

void places_variable(struct places *p, uint64_t address, char *text, size_t size)
{
    struct symbol_global global;
    const struct image *image = image_at(p, address);
    if (image == NULL || !symbols_global(image->module, address - image->bias, &global)) {
        snprintf(text, size, "0x%" PRIx64, address);
        return;
    }
    uint64_t offset = address - image->bias - global.address;
    if (offset == 0)
        snprintf(text, size, "%s", global.name);
    else
        snprintf(text, size, "%s+%" PRIu64, global.name, offset);
}
