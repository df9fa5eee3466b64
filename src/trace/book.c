#include "trace/book.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"

struct site {
    uint64_t pc;
    uint32_t node;
    unsigned how;
    const char *text; /* NULL: it has none */
    uint32_t length;
    uint32_t location; /* + 1; 0: not asked for yet */
};

struct stack {
    const uint8_t *pc; /* 8 bytes each, not aligned */
    size_t count;
};

struct module {
    uint64_t from, to, bias;
    const char *path;
    uint32_t length;
};

struct variable {
    uint64_t address, size;
    const char *name;
    uint32_t length;
};

struct book {
    struct mem mem;
    struct map sites; /* numbers to indices */
    struct site *site;
    size_t site_capacity;
    struct map stacks; /* nodes to indices */
    struct stack *stack;
    size_t stack_capacity;
    struct module *module;
    size_t module_count, module_capacity;
    struct variable *variable; /* by address, once all are there */
    size_t variable_count, variable_capacity;
    struct kept {
        struct kept *next;
        size_t size;
        char bytes[];
    } * kept; /* texts */
};

struct book *book_new(void)
{
    struct mem mem = {0};
    struct book *b = mem_alloc(&mem, sizeof *b);
    b->mem = mem;
    return b;
}

void book_free(struct book *b)
{
    for (struct kept *k = b->kept, *next; k != NULL; k = next) {
        next = k->next;
        mem_free(&b->mem, k, sizeof *k + k->size);
    }
    map_free(&b->sites, &b->mem);
    map_free(&b->stacks, &b->mem);
    mem_free(&b->mem, b->site, b->site_capacity * sizeof *b->site);
    mem_free(&b->mem, b->stack, b->stack_capacity * sizeof *b->stack);
    mem_free(&b->mem, b->module, b->module_capacity * sizeof *b->module);
    mem_free(&b->mem, b->variable, b->variable_capacity * sizeof *b->variable);
    struct mem mem = b->mem;
    mem_free(&mem, b, sizeof *b);
}

static char *keep(struct book *b, const void *bytes, size_t size)
{
    struct kept *k = mem_alloc(&b->mem, sizeof *k + size);
    *k = (struct kept){b->kept, size};
    memcpy(k->bytes, bytes, size);
    b->kept = k;
    return k->bytes;
}

static struct site *site_at(struct book *b, uint32_t number)
{
    size_t index = map_number(&b->sites, &b->mem, number);
    b->site = mem_reserve(&b->mem, b->site, sizeof *b->site, &b->site_capacity, index + 1);
    return &b->site[index];
}

/* NULL: nobody has told of it. */
static struct site *find_site(const struct book *b, uint64_t number)
{
    uint32_t index = map_get(&b->sites, number);
    return index != 0 ? &b->site[index - 1] : NULL;
}

void book_record(struct book *b, const struct tape_slot *s)
{
    if (s->op == TAPE_SITE) {
        struct site *site = site_at(b, (uint32_t)s->a);
        site->pc = s->b;
        site->node = (uint32_t)(s->c >> 8);
        site->how = s->c & 0xff;
    } else if (s->op == TAPE_STACK) {
        size_t index = map_number(&b->stacks, &b->mem, s->a);
        b->stack = mem_reserve(&b->mem, b->stack, sizeof *b->stack, &b->stack_capacity, index + 1);
        b->stack[index] = (struct stack){(uint8_t *)keep(b, s->frames, s->b * sizeof(uint64_t)), s->b};
    }
}

unsigned book_how(const struct book *b, uint32_t site)
{
    const struct site *s = find_site(b, site);
    return s != NULL ? s->how : 0;
}

/* --- blocks of names: u64 numbers, texts after their u32 length --- */

struct input {
    const uint8_t *at, *end;
    bool good;
};

static uint64_t take_number(struct input *in)
{
    uint64_t value = 0;
    in->good = in->good && in->end - in->at >= (ptrdiff_t)sizeof value;
    if (in->good) {
        memcpy(&value, in->at, sizeof value);
        in->at += sizeof value;
    }
    return value;
}

static const char *take_text(struct input *in, uint32_t *length)
{
    uint64_t size = take_number(in);
    in->good = in->good && size <= (uint64_t)(in->end - in->at);
    *length = in->good ? (uint32_t)size : 0;
    const char *text = (const char *)in->at;
    in->at += *length;
    return text;
}

bool book_modules(struct book *b, const uint8_t *bytes, size_t size)
{
    const uint8_t *own = (uint8_t *)keep(b, bytes, size);
    struct input in = {own, own + size, true};
    while (in.good && in.at < in.end) {
        struct module m = {.from = take_number(&in)};
        m.to = take_number(&in);
        m.bias = take_number(&in);
        m.path = take_text(&in, &m.length);
        b->module = mem_reserve(&b->mem, b->module, sizeof m, &b->module_capacity, b->module_count + 1);
        if (in.good)
            b->module[b->module_count++] = m;
    }
    return in.good;
}

bool book_texts(struct book *b, const uint8_t *bytes, size_t size)
{
    const uint8_t *own = (uint8_t *)keep(b, bytes, size);
    struct input in = {own, own + size, true};
    while (in.good && in.at < in.end) {
        uint64_t number = take_number(&in);
        uint32_t length;
        const char *text = take_text(&in, &length);
        struct site *site = find_site(b, number);
        if (in.good && site != NULL) { /* or its site is in a part that is lost */
            site->text = text;
            site->length = length;
        }
    }
    return in.good;
}

bool book_variables(struct book *b, const uint8_t *bytes, size_t size)
{
    const uint8_t *own = (uint8_t *)keep(b, bytes, size);
    struct input in = {own, own + size, true};
    while (in.good && in.at < in.end) {
        struct variable v = {.address = take_number(&in)};
        v.size = take_number(&in);
        v.name = take_text(&in, &v.length);
        b->variable =
            mem_reserve(&b->mem, b->variable, sizeof v, &b->variable_capacity, b->variable_count + 1);
        if (in.good)
            b->variable[b->variable_count++] = v;
    }
    return in.good;
}

/* At one address the smallest last, and of those the first that was told. */
static int by_address(const void *left, const void *right)
{
    const struct variable *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return a->name > b->name ? -1 : a->name < b->name;
}

void book_close(struct book *b)
{
    if (b->variable_count > 0)
        qsort(b->variable, b->variable_count, sizeof *b->variable, by_address);
}

/* --- what is what --- */

static void put_address(const struct book *b, FILE *out, uint64_t pc)
{
    uint64_t address = pc - 1; /* inside the call, not after it */
    for (size_t i = b->module_count; i-- > 0;) {
        const struct module *m = &b->module[i];
        if (address >= m->from && address < m->to) {
            fprintf(out, "%.*s+0x%" PRIx64, (int)m->length, m->path, address - m->bias);
            return;
        }
    }
    fprintf(out, "0x%" PRIx64, address);
}

/* Of a recording that was cut short: no names. */
static uint32_t address_location(const struct book *b, struct names *names, const struct site *site)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        tool_failed("out of memory");
    put_address(b, out, site->pc);
    uint32_t index = map_get(&b->stacks, site->node);
    const struct stack *stack = index != 0 ? &b->stack[index - 1] : NULL;
    for (size_t i = 0; stack != NULL && i < stack->count; i++) {
        uint64_t pc;
        memcpy(&pc, stack->pc + i * sizeof pc, sizeof pc);
        fputs(" < ", out);
        put_address(b, out, pc);
    }
    fclose(out);
    uint32_t location = names_location_id(names, text, length);
    free(text);
    return location;
}

uint32_t book_location(struct book *b, struct names *names, uint32_t number)
{
    struct site *site = site_at(b, number);
    if (site->location == 0)
        site->location = (site->text != NULL ? names_location_id(names, site->text, site->length)
                                             : address_location(b, names, site)) +
                         1;
    return site->location - 1;
}

static const struct variable *variable_at(const struct book *b, uint64_t address)
{
    enum { NEAR = 64 }; /* objects may lie in objects */
    size_t low = 0, high = b->variable_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (b->variable[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct variable *found = NULL;
    for (size_t i = 0; i < NEAR && i < low; i++) {
        const struct variable *v = &b->variable[low - 1 - i];
        if (address - v->address < v->size && (found == NULL || v->size < found->size))
            found = v;
    }
    return found;
}

void book_variable(const struct book *b, uint64_t address, char *text, size_t size)
{
    enum { REST = 32 }; /* how far behind its beginning, and what the caller puts after it */
    const struct variable *v = variable_at(b, address);
    int length = v != NULL ? (int)min_size(v->length, size - REST - 1) : 0;
    if (v == NULL)
        snprintf(text, size, "0x%" PRIx64, address);
    else if (address == v->address)
        snprintf(text, size, "%.*s", length, v->name);
    else
        snprintf(text, size, "%.*s+%" PRIu64, length, v->name, address - v->address);
}
