/* Statements that access shared memory, one element or several together. */
#include "model.h"

#include <string.h>

/* An access; the planted one is not checked. */
static void site(struct scope *s, const char *statement)
{
    struct program *p = s->program;
    if (s->function != NULL)
        s->function->cost += s->times;
    if (p->sites++ == p->planted)
        line(s, "UNCHECKED(%s);", statement);
    else
        line(s, "%s", statement);
}

/* --- one element --- */

static const char *any_order(const char *const *orders, int count)
{
    return orders[below(count)];
}

static const char *atomic_statement(struct scope *s, const char *address)
{
    static const char *const loads[] = {"RELAXED", "ACQUIRE", "SEQ_CST"};
    static const char *const stores[] = {"RELAXED", "RELEASE", "SEQ_CST"};
    static const char *const both[] = {"RELAXED", "ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST"};
    switch (below(4)) {
    case 0:
        return say("TAKE(__atomic_load_n(%s, __ATOMIC_%s));", address, any_order(loads, 3));
    case 1:
        return say("__atomic_store_n(%s, %d, __ATOMIC_%s);", address, below(100), any_order(stores, 3));
    case 2:
        return say("TAKE(__atomic_fetch_add(%s, %d, __ATOMIC_%s));", address, below(9), any_order(both, 5));
    default:
        return say("TAKE(__atomic_exchange_n(%s, %s & 127, __ATOMIC_%s));", address, number(s),
                   any_order(both, 5));
    }
}

static const char *update(struct scope *s, const struct element *e)
{
    if (e->type == FLOAT || e->type == DOUBLE)
        return say("%s = %s * (%s)0.5 + %d;", e->text, e->text, type_name[e->type], between(1, 9));
    return say("%s = (%s)(BITS(%s) + %s);", e->text, type_name[e->type], e->text, number(s));
}

static const char *assignment(struct scope *s, const struct element *e)
{
    return say("%s = (%s)(%s);", e->text, type_name[e->type], number(s));
}

static const char *either(struct scope *s, const struct element *e)
{
    struct element other = element(s);
    if (other.text == NULL || chance(50))
        return say("TAKE(%s ? %s : 0);", condition(s), e->text);
    return say("TAKE(%s ? BITS(%s) : BITS(%s));", condition(s), e->text, other.text);
}

static const char *copy(struct scope *s, const struct element *e)
{
    struct element from = element(s);
    if (from.text == NULL)
        return assignment(s, e);
    return say("%s = (%s)(BITS(%s) & 1023);", e->text, type_name[e->type], from.text);
}

static const char *qualified(struct scope *s, const struct element *e)
{
    const char *type = type_name[e->type];
    if (chance(50))
        return say("TAKE(*(volatile %s *)&%s);", type, e->text);
    return say("*(volatile %s *)&%s = (%s)(%s);", type, e->text, type, number(s));
}

/* By an address that was chosen: the other one is of the same type, or a variable's that no other thread knows. */
static const char *chosen(struct scope *s, const struct element *e)
{
    const char *type = type_name[e->type], *use, *address;
    struct element other = element(s);
    for (int tries = 0; tries < 4 && (other.type != e->type || !other.addressable); tries++)
        other = element(s);
    bool own = other.text == NULL || other.type != e->type || !other.addressable || chance(30);
    address = own ? "&own" : say("&%s", other.text);
    struct element there = {"*chosen", e->type, true};
    use = chance(60) ? "TAKE(*chosen);" : chance(50) ? update(s, &there) : assignment(s, &there);
    if (chance(50))
        return say("{ %s own = 1; %s *chosen = %s ? &%s : %s; %s TAKE(own); }", type, type, condition(s),
                   e->text, address, use);
    return say("{ %s own = 1; %s *chosen = &%s; if (%s) chosen = %s; %s TAKE(own); }", type, type, e->text,
               condition(s), address, use);
}

static const char *access_to(struct scope *s, const struct element *e)
{
    int what = below(100);
    if (what < 30)
        return assignment(s, e);
    if (what < 58)
        return say("TAKE(%s);", e->text);
    if (what < 70)
        return update(s, e);
    if (what < 77)
        return copy(s, e);
    if (what < 84)
        return say("if (%s) { %s }", condition(s), chance(50) ? assignment(s, e) : update(s, e));
    if (what < 87)
        return either(s, e);
    if (!e->addressable)
        return update(s, e);
    if (what < 91)
        return chosen(s, e);
    if (what < 95)
        return qualified(s, e);
    return e->type < FLOAT ? atomic_statement(s, say("&%s", e->text)) : update(s, e);
}

void write_access_to(struct scope *s, const struct element *e)
{
    site(s, access_to(s, e));
}

void write_access(struct scope *s)
{
    struct element e = element(s);
    if (e.text != NULL)
        site(s, access_to(s, &e));
    else
        line(s, "TAKE(%sfact[%d]);", s->program->prefix, below(FACTS));
}

/* --- several --- */

static void again(struct scope *s)
{
    struct element e = element(s);
    bool apart = chance(40);
    if (e.text == NULL)
        return;
    for (int left = between(2, 4); left > 0; left--) {
        site(s, access_to(s, &e));
        if (apart && left > 1)
            write_synchronization(s);
    }
}

static void neighbours(struct scope *s)
{
    const struct object *o = object_of(s, ARRAY);
    int many = between(2, 6), first = below(2) * below(many);
    if (o == NULL)
        return;
    const char *base = index_below(s, o->count - many + 1);
    bool write = chance(50), mixed = chance(30);
    for (int i = 0; i < many; i++) {
        struct element e = {say("%s[%s + %d]", o->name, base, (first + i) % many), o->type, true};
        if (chance(12))
            continue;
        site(s, mixed ? access_to(s, &e) : write ? assignment(s, &e) : say("TAKE(%s);", e.text));
    }
}

static void fields(struct scope *s)
{
    const struct program *p = s->program;
    const struct object *o = object_of(s, RECORDS);
    if (o == NULL)
        return;
    const char *record = say("%s[%s]", o->name, index_below(s, o->count));
    bool write = chance(50), mixed = chance(30);
    for (int i = 0; i < p->field_count; i++) {
        const struct field *f = &p->field[i];
        if (chance(25))
            continue;
        struct element e = field_of(s, record, f);
        site(s, mixed ? access_to(s, &e) : write ? assignment(s, &e) : say("TAKE(%s);", e.text));
    }
}

static void copy_record(struct scope *s)
{
    const struct object *to = object_of(s, RECORDS), *from = object_of(s, RECORDS);
    if (to == NULL)
        return;
    site(s, say("%s[%s] = %s[%s];", to->name, index_below(s, to->count), from->name,
                index_below(s, from->count)));
}

void write_accesses_nearby(struct scope *s)
{
    switch (below(4)) {
    case 0:
        again(s);
        break;
    case 1:
        neighbours(s);
        break;
    case 2:
        fields(s);
        break;
    default:
        copy_record(s);
    }
}

/* --- blocks --- */

/* `count` elements beginning with one of an array. */
struct part {
    const struct object *array;
    int first, count;
};

static bool any_part(struct scope *s, struct part *part)
{
    part->array = object_of(s, ARRAY);
    if (part->array == NULL)
        return false;
    part->first = below(part->array->count);
    part->count = between(1, part->array->count - part->first);
    return true;
}

static void move(struct scope *s, const struct part *to)
{
    const struct object *o = to->array, *from = object_of(s, ARRAY);
    for (int tries = 0; tries < 6 && (from == o || from->type != o->type); tries++)
        from = object_of(s, ARRAY);
    int count = to->count < from->count ? to->count : from->count;
    if (from->type != o->type)
        return;
    site(s, say("%s(&%s[%d], &%s[%d], %d * sizeof *%s);", from == o ? "memmove" : "memcpy", o->name,
                to->first, from->name, below(from->count - count + 1), count, o->name));
}

/* Told to the detector by a call, in every build the same: what the others did is found, or is not. */
static void sweep(struct scope *s)
{
    uint32_t objects = s->objects;
    for (int i = 0; i < s->program->object_count; i++)
        if (s->program->object[i].shape == POINTERS)
            objects &= ~(UINT32_C(1) << i);
    if (objects == 0)
        return;
    const struct object *o = &s->program->object[one_of(objects)];
    line(s, "__tsan_%s_range(%s, %s);", chance(50) ? "read" : "write", object_first(o), object_bytes(o));
}

void write_block_access(struct scope *s)
{
    struct part part;
    if (chance(40)) {
        sweep(s);
        return;
    }
    if (!any_part(s, &part))
        return;
    const struct object *o = part.array;
    if (chance(40))
        move(s, &part);
    else if (chance(70))
        site(s, say("memset(&%s[%d], %d, %d * sizeof *%s);", o->name, part.first, below(3), part.count,
                    o->name));
    else
        site(s, say("memset(&%s[%d], 1, (unsigned long)%sfact[%d] %% %d);", o->name, part.first,
                    s->program->prefix, below(FACTS), part.count * type_size[o->type] + 1));
}
