/* Elements of shared objects, and the numbers that say which: all indices are within bounds. */
#include "model.h"

#include <string.h>

const char *const length_name[MOST_PARAMETERS] = {"n", "m"};
static const char *const parameter_name[MOST_PARAMETERS] = {"a", "b"};

/* --- numbers --- */

static const struct variable *any_variable(struct scope *s)
{
    return s->variable_count > 0 ? &s->variable[below(s->variable_count)] : NULL;
}

const char *number(struct scope *s)
{
    const struct variable *v = any_variable(s);
    switch (below(4)) {
    case 0:
        return say("%dul", below(250));
    case 1:
        return say("(unsigned long)%sfact[%d]", s->program->prefix, below(FACTS));
    default:
        return v == NULL ? say("%dul", below(99))
                         : say("((unsigned long)%s * %d + %d)", v->name, between(1, 9), below(50));
    }
}

const char *condition(struct scope *s)
{
    const char *p = s->program->prefix;
    const struct variable *v = any_variable(s);
    int a = below(FACTS), b = (a + between(1, FACTS - 1)) % FACTS;
    int middle = v != NULL ? between(v->lowest, v->highest) : 0;
    switch (below(v != NULL ? 7 : 2)) {
    case 0:
        return say("%sfact[%d] & %d", p, below(FACTS), 1 << below(4));
    case 1:
        return say("%sfact[%d] > %sfact[%d]", p, a, p, b);
    case 2:
        return say("%s == %d", v->name, middle);
    case 3:
        return say("%s > %d", v->name, middle);
    case 4:
        return say("%s < %sfact[%d]", v->name, p, below(FACTS));
    case 5:
        return say("(%s + %d) %% %d != 0", v->name, below(9), between(2, 4));
    default:
        return say("%sfact[(%s + %d) & %d] & %d", p, v->name, below(FACTS), FACTS - 1, 1 << below(4));
    }
}

const char *value(struct scope *s, int number)
{
    for (int i = 0; i < FACTS; i++)
        if (s->program->fact[i] == number && chance(60))
            return say("%sfact[%d]", s->program->prefix, i);
    return say("%d", number);
}

/* --- indices --- */

/* factor * v + offset, for which there is room; NULL: there is none. */
static const char *affine(struct scope *s, const struct variable *v, int factor, int count)
{
    int lowest = factor > 0 ? factor * v->lowest : factor * v->highest;
    int highest = factor > 0 ? factor * v->highest : factor * v->lowest;
    if (highest - lowest >= count)
        return NULL;
    int offset = between(-lowest, count - 1 - highest);
    if (chance(50) && -lowest <= 0 && 0 <= count - 1 - highest)
        offset = 0;
    if (factor == 1)
        return offset == 0 ? v->name : say("%s + %d", v->name, offset);
    if (factor == -1)
        return say("%d - %s", offset, v->name);
    return say("%s%s * %s + %d", factor < 0 ? "-" : "", value(s, factor < 0 ? -factor : factor), v->name,
               offset);
}

/* first * a + b + offset */
static const char *affine_two(const struct variable *a, const struct variable *b, int count)
{
    int factor = between(1, 8), lowest = factor * a->lowest + b->lowest,
        highest = factor * a->highest + b->highest;
    if (highest - lowest >= count || a == b)
        return NULL;
    return say("%d * %s + %s + %d", factor, a->name, b->name, between(-lowest, count - 1 - highest));
}

static const char *index_by_fact(struct scope *s, int count)
{
    for (int tries = 0; tries < 8; tries++) {
        int i = below(FACTS);
        if (s->program->fact[i] < count)
            return say("%sfact[%d]", s->program->prefix, i);
    }
    return say("%d", below(count));
}

const char *index_below(struct scope *s, int count)
{
    const struct variable *v = any_variable(s), *w = any_variable(s);
    const char *text = NULL;
    if (v == NULL || chance(8))
        return chance(75) ? say("%d", below(count)) : index_by_fact(s, count);
    int what = below(20);
    if (what < 9)
        text = affine(s, v, 1, count);
    else if (what < 12)
        text = affine(s, v, -1, count);
    else if (what < 14)
        text = affine(s, v, chance(75) ? between(2, 4) : -between(2, 3), count);
    else if (what < 17)
        text = affine_two(v, w, count);
    if (text != NULL)
        return text;
    if (what == 19)
        return say("%sfact[%s & %d] %% %d", s->program->prefix, v->name, FACTS - 1, count);
    if (what == 18 || v->highest - v->lowest >= count)
        return say("((unsigned long)%s * %d + %d) %% %d", v->name, between(1, 5), below(count), count);
    text = affine(s, v, 1, count);
    return text != NULL ? text : say("%d", below(count));
}

/* --- elements --- */

/* The same four bytes, or two of them, or one. */
static struct element part_of_union(struct scope *s, const char *text, bool addressable)
{
    switch (below(4)) {
    case 0:
        return (struct element){say("%s.whole", text), INT, addressable};
    case 1:
        return (struct element){say("%s.number", text), FLOAT, addressable};
    case 2:
        return (struct element){say("%s.half[%s]", text, index_below(s, 2)), SHORT, addressable};
    default:
        return (struct element){say("%s.byte[%s]", text, index_below(s, 4)), CHAR, addressable};
    }
}

struct element field_of(struct scope *s, const char *record, const struct field *f)
{
    const char *text = say("%s.%s", record, f->name);
    bool addressable = f->bits == 0 && !s->program->packed;
    if (f->count > 0)
        text = say("%s[%s]", text, index_below(s, f->count));
    return f->united ? part_of_union(s, text, addressable) : (struct element){text, f->type, addressable};
}

static struct element record_field(struct scope *s, const struct object *o)
{
    const struct program *p = s->program;
    const char *record = say("%s[%s]", o->name, index_below(s, o->count));
    return field_of(s, record, &p->field[below(p->field_count)]);
}

static struct element node_field(struct scope *s, const struct object *o)
{
    static const struct {
        const char *name;
        enum type type;
    } fields[] = {{"v", INT}, {"w", SHORT}, {"x", LONG}};
    int i = below(3);
    return (struct element){say("%s[%s].%s", o->name, index_below(s, o->count), fields[i].name),
                            fields[i].type, true};
}

struct element element_of(struct scope *s, const struct object *o)
{
    switch (o->shape) {
    case ARRAY:
        return (struct element){say("%s[%s]", o->name, index_below(s, o->count)), o->type, true};
    case GRID:
        return (struct element){
            say("%s[%s][%s]", o->name, index_below(s, o->count), index_below(s, o->columns)), o->type, true};
    case POINTERS:
        return (struct element){say("*%s[%s]", o->name, index_below(s, o->count)), INT, true};
    case RECORDS:
        return record_field(s, o);
    default:
        return node_field(s, o);
    }
}

static struct element parameter_element(struct scope *s, int i)
{
    const struct variable *v = any_variable(s);
    const char *index = NULL;
    if (v != NULL && v->within == i)
        index = chance(70) ? v->name : say("%s - 1 - %s", length_name[i], v->name);
    else if (chance(20))
        index = say("%s - %d", length_name[i], between(1, SHORTEST));
    else
        index = index_below(s, SHORTEST);
    return (struct element){say("%s[%s]", parameter_name[i], index), s->parameter[i], true};
}

const struct object *object_of(struct scope *s, enum shape shape)
{
    uint32_t fitting = 0;
    for (int i = 0; i < s->program->object_count; i++)
        if (s->program->object[i].shape == shape)
            fitting |= UINT32_C(1) << i;
    fitting &= s->objects;
    return fitting != 0 ? &s->program->object[one_of(fitting)] : NULL;
}

/* Something that is nobody's business when nothing may be accessed: a fact. */
struct element element(struct scope *s)
{
    struct program *p = s->program;
    uint32_t objects = s->objects;
    if (s->parameter_count > 0 && chance(60))
        return parameter_element(s, below(s->parameter_count));
    if (p->slip > 0 && chance(p->slip))
        objects = (UINT32_C(1) << p->object_count) - 1;
    if (objects != 0)
        return element_of(s, &p->object[one_of(objects)]);
    return (struct element){NULL, LONG, false};
}
