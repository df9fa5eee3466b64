/* Functions: inlined or not, recursive, left by a jump; and calls of them, also with arrays that overlap. */
#include "model.h"

#include <string.h>

/* --- texts --- */

static const char *any_linkage(void)
{
    static const char *const linkages[] = {"NOINLINE", "NOINLINE", "ALWAYS_INLINE", "static",
                                           "static inline"};
    return linkages[below(5)];
}

static const char *parameters(const struct function *f)
{
    const char *text = f->parameter_count == 0 ? "void" : "";
    for (int i = 0; i < f->parameter_count; i++)
        text = say("%s%s%s *%s, long %s", text, i > 0 ? ", " : "", type_name[f->parameter[i]],
                   i == 0 ? "a" : "b", length_name[i]);
    return text;
}

static struct scope scope_of(struct program *p, struct function *f, FILE *out, int *budget)
{
    struct scope s = {.program = p,
                      .out = out,
                      .indent = 1,
                      .objects = objects_allowed(p, -1, 0),
                      .parameter_count = f->parameter_count,
                      .function = f,
                      .thread = -1,
                      .times = 1,
                      .exit = "return sum;",
                      .budget = budget};
    memcpy(s.parameter, f->parameter, sizeof s.parameter);
    return s;
}

static void write_plain(struct scope *s, struct function *f)
{
    fprintf(s->out, "%s unsigned long %s(%s)\n{\n", any_linkage(), f->name, parameters(f));
    line(s, "unsigned long sum = 0;");
    write_statements(s, between(1, 3));
    line(s, "return sum;");
}

/* One element a call. Does not rely on how many there are. */
static void write_recursive(struct scope *s, struct function *f)
{
    bool from_front = chance(50);
    struct element e = {from_front ? "a[0]" : "a[n - 1]", f->parameter[0], true};
    fprintf(s->out, "%s unsigned long %s(%s)\n{\n", chance(50) ? "NOINLINE" : "static", f->name,
            parameters(f));
    line(s, "unsigned long sum = 0;\nif (n <= 0)\n    return 0;");
    s->times = LONGEST;
    s->parameter_count = 0;
    if (chance(70))
        write_access_to(s, &e);
    if (chance(20))
        write_synchronization(s);
    line(s, "sum += %s(%s, n - 1%s);", f->name, from_front ? "a + 1" : "a",
         f->parameter_count > 1 ? ", b, m" : "");
    if (chance(50))
        write_access_to(s, &e);
    line(s, "return sum;");
}

/* A loop that is left by a jump to whoever called. */
static void write_leap(struct scope *s, struct function *f, const char *name)
{
    struct element e = {"a[i]", f->parameter[0], true};
    struct scope inner = *s;
    inner.parameter_count = 1; /* it is given the first */
    inner.indent++;
    fprintf(s->out, "NOINLINE unsigned long %s(%s *a, long n, jmp_buf *to)\n{\n", name,
            type_name[f->parameter[0]]);
    line(s, "unsigned long sum = 0;\nfor (long i = 0; i < n; i++) {");
    write_access_to(&inner, &e);
    line(s, "    if (i == %sfact[%d])\n        longjmp(*to, 1);", s->program->prefix, below(FACTS));
    if (chance(50))
        write_access_to(&inner, &e);
    line(s, "}\nreturn sum;");
    fprintf(s->out, "}\n\n");
}

static void write_jumping(struct scope *s, struct function *f)
{
    const char *leap = say("%sleap%s", s->program->prefix, f->name + strlen(s->program->prefix));
    struct scope inner = *s;
    inner.indent++;
    inner.exit = NULL;
    write_leap(s, f, leap);
    fprintf(s->out, "NOINLINE unsigned long %s(%s)\n{\n", f->name, parameters(f));
    line(s, "volatile unsigned long sum = 0;\njmp_buf place;\nif (setjmp(place) == 0) {");
    write_statements(&inner, between(1, 2));
    line(s, "    sum += %s(a, n, &place);", leap);
    write_statements(&inner, 1);
    line(s, "} else {");
    write_statements(&inner, 1);
    line(s, "}");
    write_statements(s, 1);
    line(s, "return sum;");
}

static void write_function(struct program *p, FILE *out)
{
    struct function *f = &p->function[p->function_count];
    int budget = 6;
    *f = (struct function){.name = say("%scall%d", p->prefix, p->function_count),
                           .parameter_count = between(0, MOST_PARAMETERS)};
    for (int i = 0; i < f->parameter_count; i++)
        f->parameter[i] = chance(50) ? INT : (enum type)below(TYPES);
    struct scope s = scope_of(p, f, out, &budget);
    if (f->parameter_count > 0 && chance(20))
        write_recursive(&s, f);
    else if (f->parameter_count > 0 && chance(12))
        write_jumping(&s, f);
    else
        write_plain(&s, f);
    fprintf(out, "}\n\n");
    f->cost++;
    p->function_count++;
}

void write_functions(struct program *p, FILE *out)
{
    for (int count = between(1, MOST_FUNCTIONS); count > 0; count--)
        write_function(p, out);
}

/* --- calls --- */

/* "ARRAY, LENGTH" of this type: a part of what may be accessed, or of what this function was given. NULL:
 * there is none. */
static const char *argument(struct scope *s, enum type type)
{
    const struct program *p = s->program;
    uint32_t fitting = 0;
    for (int i = 0; i < p->object_count; i++) {
        const struct object *o = &p->object[i];
        if ((o->shape == ARRAY && o->type == type && o->count >= SHORTEST) ||
            (o->shape == GRID && o->type == type && o->columns >= SHORTEST))
            fitting |= 1u << i;
    }
    for (int i = 0; i < s->parameter_count; i++)
        if (s->parameter[i] == type && chance(60))
            return say("%s, %s", i == 0 ? "a" : "b", length_name[i]);
    fitting &= s->objects;
    if (fitting == 0 || chance(5))
        return say("(%s[%d]){0}, %d", type_name[type], LONGEST, between(SHORTEST, LONGEST));
    const struct object *o = &p->object[one_of(fitting)];
    int whole = o->shape == GRID ? o->columns : o->count;
    int length = between(SHORTEST, whole < LONGEST ? whole : LONGEST);
    if (o->shape == GRID)
        return say("%s[%s], %d", o->name, index_below(s, o->count), length);
    return say("&%s[%s], %d", o->name, index_below(s, whole - length + 1), length);
}

void write_call(struct scope *s)
{
    const struct program *p = s->program;
    const struct function *f = p->function_count > 0 ? &p->function[below(p->function_count)] : NULL;
    int most = s->function != NULL ? 300 : 5000;
    if (f == NULL || (f->takes & s->held) != 0 || f->cost * s->times > most) {
        write_access(s);
        return;
    }
    const char *arguments = "";
    for (int i = 0; i < f->parameter_count; i++)
        arguments = say("%s%s%s", arguments, i > 0 ? ", " : "", argument(s, f->parameter[i]));
    if (s->function != NULL) {
        s->function->cost += f->cost * s->times;
        s->function->takes |= f->takes;
    }
    if (chance(12))
        line(s, "{\n    __typeof__(&%s) volatile pointer = %s;\n    sum += pointer(%s);\n}", f->name, f->name,
             arguments);
    else
        line(s, "sum += %s(%s);", f->name, arguments);
}
