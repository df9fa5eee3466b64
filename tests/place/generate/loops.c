/* Loops of many shapes. Of each variable the lowest and highest value is known while its loop's body is
 * written. */
#include "model.h"

enum { FEW = 12 };

/* How often a place may be reached in a step, or in a call. */
static int most_times(const struct scope *s)
{
    return s->function != NULL ? 400 : 6000;
}

static const char *fresh_name(const struct scope *s)
{
    return say("%c%d", "ijklxyzw"[s->variable_count], s -> depth);
}

/* --- the body --- */

static void write_exit(struct scope *s)
{
    const char *what = NULL;
    int choice = below(3);
    if (s->ends && chance(40)) {
        line(s, "if (%s) leave_program(%d);", condition(s), below(3));
        return;
    }
    if (choice == 0 && s->can_continue)
        what = "continue;";
    else if (choice == 1 && s->exit != NULL)
        what = s->exit;
    else if (s->can_break)
        what = "break;";
    if (what != NULL)
        line(s, "if (%s) %s", condition(s), what);
}

static void write_body(struct scope *s, int times)
{
    s->times *= times > 0 ? times : 1;
    s->indent++;
    s->depth++;
    int exit_at = chance(25) ? below(3) : -1, statements = between(1, 3);
    for (int i = 0; i < statements; i++) {
        if (i == exit_at)
            write_exit(s);
        if (s->depth >= 3 || chance(60))
            write_access(s);
        else
            write_statement(s);
    }
    if (exit_at >= statements)
        write_exit(s);
    s->indent--;
}

static struct scope inside(const struct scope *s, const char *name, int lowest, int highest, int within)
{
    struct scope inner = *s;
    inner.variable[inner.variable_count++] = (struct variable){name, lowest, highest, within};
    inner.can_break = inner.can_continue = true;
    return inner;
}

/* --- counting loops --- */

struct range {
    int from, to; /* from <= variable < to; empty if from >= to */
    const char *first, *end;
};

static struct range any_range(struct scope *s)
{
    int most = most_times(s) / s->times;
    struct range r = {.from = chance(50) ? 0 : below(8)};
    if (s->variable_count == 0 && most > 1000 && chance(4))
        r.to = r.from + between(100, 900);
    else
        r.to = r.from + between(0, most < FEW ? most : chance(20) ? 3 * FEW : FEW);
    if (chance(15)) { /* the compiler does not know whether it is run at all */
        r.from = s->program->fact[below(FACTS)];
        r.to = s->program->fact[below(FACTS)];
        if (r.to - r.from > most)
            r.to = r.from + most;
    }
    r.first = value(s, r.from);
    r.end = value(s, r.to);
    return r;
}

static int times_of(const struct range *r)
{
    return r->to > r->from ? r->to - r->from : 1;
}

static const char *any_type(const struct range *r)
{
    static const char *const types[] = {"long", "int", "unsigned", "unsigned long", "short", "unsigned char"};
    return types[below(r->from < 100 && r->to < 100 ? 6 : 4)];
}

/* Opens the loop, and says what is to be written at the end of its body. */
static const char *open_loop(struct scope *s, const char *i, const struct range *r, struct scope *inner)
{
    const char *type = any_type(r);
    int highest = r->to > r->from ? r->to - 1 : r->from;
    *inner = inside(s, i, r->from, highest, -1);
    switch (below(10)) {
    case 0:
    case 1:
    case 2:
        line(s, "for (%s %s = %s; %s < %s; %s++) {", type, i, r->first, i, r->end, i);
        return "}";
    case 3:
        line(s, "for (long %s = %s - 1; %s >= %s; %s--) {", i, r->end, i, r->first, i);
        return "}";
    case 4:
        line(s, "for (%s %s = %s; %s < %s; %s += %s) {", type, i, r->first, i, r->end, i,
             value(s, between(2, 5)));
        return "}";
    case 5: /* not below `first`, nor forever: it begins there or above */
        line(s, "for (unsigned %s = %s > %s ? %s : %s; %s-- > %s;) {", i, r->end, r->first, r->end, r->first,
             i, r->first);
        return "}";
    case 6:
        line(s, "for (long %s = %s; %s < %s;) {", i, r->first, i, r->end);
        inner->can_continue = false;
        return say("    %s += 1 + (%sfact[%s & %d] & 1);\n}", i, s->program->prefix, i, FACTS - 1);
    case 7:
        line(s, "long %s = %s;\ndo {", i, r->first);
        inner->can_continue = false;
        return say("} while (++%s < %s);", i, r->end);
    case 8:
        line(s, "int %s = %s;\nfor (;;) {\n    if (%s >= %s)\n        break;", i, r->first, i, r->end);
        inner->can_continue = false;
        return say("    %s++;\n}", i);
    default:
        line(s, "unsigned long %s = %s;\nwhile (%s < (unsigned long)%s) {", i, r->first, i, r->end);
        inner->can_continue = false;
        return say("    %s++;\n}", i);
    }
}

static void counting(struct scope *s)
{
    struct range r = any_range(s);
    struct scope inner;
    line(s, "{");
    s->indent++;
    const char *close = open_loop(s, fresh_name(s), &r, &inner);
    write_body(&inner, times_of(&r));
    line(s, "%s", close);
    s->indent--;
    line(s, "}");
}

/* --- others --- */

/* Bounds that depend on the loop around it. */
static void triangular(struct scope *s)
{
    const struct variable *v = &s->variable[s->variable_count - 1];
    const char *j = fresh_name(s);
    int more = between(1, 6), lowest = 0, highest = v->highest;
    if (v->highest * s->times > most_times(s))
        return;
    switch (below(4)) {
    case 0:
        line(s, "for (long %s = 0; %s <= (long)%s; %s++) {", j, j, v->name, j);
        break;
    case 1:
        line(s, "for (long %s = 0; %s < (long)%s; %s++) {", j, j, v->name, j);
        break;
    case 2:
        lowest = v->lowest;
        highest = v->highest + more;
        line(s, "for (long %s = %s; %s < %d; %s++) {", j, v->name, j, highest + 1, j);
        break;
    default:
        highest = v->highest - v->lowest + more;
        line(s, "for (int %s = 0; %s <= %d - (int)%s; %s++) {", j, j, v->highest + more, v->name, j);
    }
    struct scope inner = inside(s, j, lowest, highest, -1);
    write_body(&inner, highest - lowest + 1);
    line(s, "}");
}

static void write_element_and_more(struct scope *s, const struct element *e);

/* From both ends. */
static void two_ended(struct scope *s)
{
    const char *i = fresh_name(s), *j = say("%c%d", 'p', s->depth);
    int end = between(2, 20);
    line(s, "for (long %s = 0, %s = %s; %s < %s; %s++, %s--) {", i, j, value(s, end), i, j, i, j);
    struct scope inner = inside(s, i, 0, end, -1);
    inner.variable[inner.variable_count++] = (struct variable){j, 0, end, -1};
    write_body(&inner, end / 2 + 1);
    line(s, "}");
}

static void doubling(struct scope *s)
{
    const char *i = fresh_name(s);
    int end = between(2, 40);
    line(s, "for (int %s = 1; %s < %s; %s *= 2) {", i, i, value(s, end), i);
    struct scope inner = inside(s, i, 1, end - 1, -1);
    write_body(&inner, 6);
    line(s, "}");
}

/* Made of jumps; it may be entered in the middle. */
static void jumps(struct scope *s)
{
    struct range r = any_range(s);
    const char *i = fresh_name(s);
    bool in_the_middle = chance(50);
    line(s, "{\n    __label__ again, middle;\n    long %s = %s;", i, r.first);
    struct scope inner = inside(s, i, r.from, r.to > r.from ? r.to - 1 : r.from, -1);
    inner.can_break = inner.can_continue = false;
    if (in_the_middle)
        line(s, "    if (%s)\n        goto middle;", condition(s));
    line(s, "again:;");
    write_body(&inner, times_of(&r));
    line(s, "middle: __attribute__((unused));");
    inner.depth--;
    inner.indent++;
    write_access(&inner);
    line(s, "    if (++%s < %s)\n        goto again;\n}", i, r.end);
}

/* An index that begins anew, perhaps several times. */
static void around(struct scope *s)
{
    const struct object *o = object_of(s, ARRAY);
    if (o == NULL || o->count < 2)
        return;
    int ring = 2;
    while (2 * ring <= o->count && chance(75))
        ring *= 2;
    int times = between(0, 5 * ring / 2), from = below(3 * ring);
    if (times * s->times > most_times(s))
        return;
    const char *i = fresh_name(s);
    line(s, "for (%s %s = 0; %s < %s; %s++) {", chance(50) ? "unsigned" : "long", i, i, value(s, times), i);
    struct scope inner = inside(s, i, 0, times > 0 ? times - 1 : 0, -1);
    struct element e = {say("%s[((unsigned long)%s + %s) %% %d]", o->name, i, value(s, from), ring), o->type,
                        true};
    write_element_and_more(&inner, &e);
    line(s, "}");
}

/* A pointer that walks over a part of an array. */
static void walking(struct scope *s)
{
    const struct object *o = object_of(s, ARRAY);
    const char *q = say("q%d", s->depth);
    if (o == NULL)
        return;
    int first = below(o->count), end = between(first, o->count);
    bool down = chance(30);
    if ((end - first) * s->times > most_times(s))
        return;
    const char *type = type_name[o->type];
    if (down)
        line(s, "for (%s *%s = &%s[%d]; %s != &%s[%d];) {\n    %s--;", type, q, o->name, end, q, o->name,
             first, q);
    else
        line(s, "for (%s *%s = &%s[%d]; %s != %s + %s; %s++) {", type, q, o->name, first, q, o->name,
             value(s, end), q);
    s->program->sites++;
    line(s, chance(50) ? "    *%s = (%s)%s;" : "    TAKE(*%s); (void)(%s)%s;", q, type, number(s));
    struct scope inner = *s;
    inner.can_break = inner.can_continue = true;
    inner.indent++;
    if (chance(30))
        write_exit(&inner);
    if (chance(40))
        write_access(&inner);
    line(s, "}");
}

/* --- searches: until a fact has a certain value, which the compiler cannot know; it is met in time --- */

struct search {
    const char *i;
    const char *found;         /* by `i` */
    int first, last, found_at; /* where it begins, and the last place before `found_at` */
};

/* Upwards from 0, or downwards from the last fact. */
static struct search any_search(struct scope *s, bool down)
{
    const struct program *p = s->program;
    int value = p->fact[below(FACTS)], turn = down || chance(50) ? 0 : below(FACTS);
    struct search x = {.i = fresh_name(s), .first = down ? FACTS - 1 : 0};
    for (x.found_at = x.first; p->fact[(x.found_at + turn) % FACTS] != value;)
        x.found_at += down ? -1 : 1;
    x.last = x.found_at == x.first ? x.first : x.found_at + (down ? 1 : -1);
    x.found = turn == 0 ? say("%sfact[%s] == %d", p->prefix, x.i, value)
                        : say("%sfact[(%s + %d) & %d] == %d", p->prefix, x.i, turn, FACTS - 1, value);
    if (chance(75)) /* the compiler is told that it takes long */
        x.found = say("__builtin_expect(%s, 0)", x.found);
    return x;
}

/* An element for each place, if an array or records have so many. */
static void write_found(struct scope *s, const struct search *x, int highest)
{
    const struct object *o = object_of(s, chance(70) ? ARRAY : RECORDS);
    if (o == NULL) {
        write_access(s);
        return;
    }
    struct element e = element_of(s, o);
    if (o->count > highest && o->shape == ARRAY)
        e = (struct element){say("%s[%s]", o->name, x->i), o->type, true};
    else if (o->count > highest)
        e = field_of(s, say("%s[%s]", o->name, x->i), &s->program->field[below(s->program->field_count)]);
    write_access_to(s, &e);
}

static void write_places(struct scope *s, const struct search *x, int lowest, int highest)
{
    struct scope inner = inside(s, x->i, lowest, highest, -1);
    inner.can_continue = false;
    inner.indent++;
    inner.depth++;
    inner.times *= FACTS;
    for (int left = between(1, 3); left > 0; left--)
        write_found(&inner, x, highest);
    if (chance(15))
        write_exit(&inner);
    if (chance(15))
        write_access(&inner);
}

static void searching(struct scope *s)
{
    bool down = chance(25);
    struct search x = any_search(s, down);
    const char *i = x.i, *step = down ? "--" : "++";
    int lowest = down ? x.last : x.first, highest = down ? x.first : x.last;
    if (FACTS * s->times > most_times(s))
        return;
    switch (below(4)) {
    case 0: /* asked first */
        line(s, "for (long %s = %d; !(%s); %s%s) {", i, x.first, x.found, i, step);
        write_places(s, &x, lowest, highest);
        line(s, "}");
        break;
    case 1: /* asked last: once more */
        line(s, "{\n    long %s = %d;\n    do {", i, x.first);
        s->indent++;
        write_places(s, &x, down ? x.found_at : lowest, down ? highest : x.found_at);
        s->indent--;
        line(s, "        if (%s)\n            break;\n        %s%s;\n    } while (%s > -9);\n}", x.found, i,
             step, i);
        break;
    case 2: /* in the middle */
        line(s, "for (int %s = %d; %s < %s; %s%s) {", i, x.first, i, value(s, 99), i, step);
        write_places(s, &x, down ? x.found_at : lowest, down ? highest : x.found_at);
        line(s, "    if (%s)\n        break;", x.found);
        write_places(s, &x, lowest, highest);
        line(s, "}");
        break;
    default: /* or by the end of something */
        line(s, "for (long %s = %d; %s != %s && !(%s); %s%s) {", i, x.first, i, value(s, down ? -1 : FACTS),
             x.found, i, step);
        write_places(s, &x, lowest, highest);
        line(s, "}");
    }
}

/* Along a list: its links are never changed. */
static void chain(struct scope *s)
{
    const struct object *o = object_of(s, NODES);
    const char *q = say("c%d", s->depth);
    if (o == NULL || o->count * s->times > most_times(s))
        return;
    line(s, "for (struct %snode *%s = &%s[%d]; %s != NULL; %s = %s->next) {", s->program->prefix, q, o->name,
         below(o->count), q, q, q);
    s->program->sites++;
    line(s,
         chance(33)   ? "    %s->v = (int)%s;"
         : chance(50) ? "    %s->x = (long)%s;"
                      : "    TAKE(%s->x); (void)%s;",
         q, number(s));
    struct scope inner = *s;
    inner.can_break = inner.can_continue = true;
    inner.indent++;
    if (chance(30))
        write_exit(&inner);
    line(s, "}");
}

/* Over an array that was given. */
static void over_parameter(struct scope *s)
{
    const char *i = fresh_name(s);
    int which = below(s->parameter_count);
    const char *n = length_name[which];
    if (LONGEST * s->times > most_times(s))
        return;
    if (chance(65))
        line(s, "for (long %s = %d; %s < %s; %s += %d) {", i, chance(60) ? 0 : below(3), i, n, i,
             chance(70) ? 1 : between(2, 4));
    else
        line(s, "for (long %s = %s - 1; %s >= 0; %s--) {", i, n, i, i);
    struct scope inner = inside(s, i, 0, LONGEST - 1, which);
    write_body(&inner, LONGEST);
    line(s, "}");
}

/* Opens a loop over a part of `count` elements; returns the scope of its body. */
static struct scope open_part(struct scope *s, const char *i, int count)
{
    int from = chance(50) ? 0 : below(count), to = chance(50) ? count : between(from, count);
    struct range r = {from, to, value(s, from), value(s, to)};
    struct scope inner = inside(s, i, from, to > from ? to - 1 : from, -1);
    if (chance(75))
        line(s, "for (long %s = %s; %s < %s; %s += %s) {", i, r.first, i, r.end, i,
             chance(80) ? "1" : value(s, between(2, 5)));
    else
        line(s, "for (int %s = %s - 1; %s >= %s; %s -= %s) {", i, r.end, i, r.first, i,
             chance(80) ? "1" : value(s, 2));
    inner.indent++;
    inner.depth++;
    inner.times *= times_of(&r);
    return inner;
}

/* The element that the loop is for, and maybe more; left in the middle, maybe. */
static void write_element_and_more(struct scope *s, const struct element *e)
{
    if (chance(12))
        write_exit(s);
    write_access_to(s, e);
    if (chance(12))
        write_exit(s);
    if (chance(50))
        write_access(s);
}

/* By rows or by columns, or a triangle. */
static void over_grid(struct scope *s, const struct object *o)
{
    bool by_columns = chance(40);
    const char *i = fresh_name(s);
    struct scope rows = open_part(s, i, by_columns ? o->columns : o->count), cells;
    const char *j = fresh_name(&rows);
    if (!by_columns && o->columns >= o->count && chance(30)) {
        cells = inside(&rows, j, 0, o->columns - 1, -1);
        cells.indent++;
        cells.times *= o->columns;
        line(&rows, "for (long %s = 0; %s <= %s; %s++) {", j, j, i, j);
    } else {
        cells = open_part(&rows, j, by_columns ? o->count : o->columns);
    }
    const char *row = by_columns ? j : i, *column = by_columns ? i : j;
    write_element_and_more(&cells, &(struct element){say("%s[%s][%s]", o->name, row, column), o->type, true});
    line(&rows, "}");
    line(s, "}");
}

/* Rows of an array, which follow each other, overlap, or are apart. */
static void over_rows(struct scope *s, const struct object *o)
{
    int width = between(2, o->count / 3), apart = chance(30) ? 1 : chance(50) ? width : between(1, width + 2);
    const char *i = fresh_name(s);
    struct scope rows = open_part(s, i, (o->count - width) / apart + 1);
    const char *j = fresh_name(&rows);
    struct scope cells = open_part(&rows, j, width);
    write_element_and_more(&cells,
                           &(struct element){say("%s[%d * %s + %s]", o->name, apart, i, j), o->type, true});
    line(&rows, "}");
    line(s, "}");
}

/* Element by element over a part of an array, of records or of a grid. */
static void over_object(struct scope *s)
{
    const struct object *o = object_of(s, chance(60) ? ARRAY : chance(50) ? GRID : RECORDS);
    int all = o == NULL ? 0 : o->shape == GRID ? o->count * o->columns : o->count;
    if (o == NULL || all * s->times > most_times(s))
        return;
    if (o->shape == GRID) {
        over_grid(s, o);
    } else if (o->shape == ARRAY && o->count < 100 && all * all / 3 * s->times < most_times(s) &&
               chance(40)) {
        over_rows(s, o);
    } else {
        const char *i = fresh_name(s);
        struct scope inner = open_part(s, i, o->count);
        struct element e = o->shape == ARRAY ? (struct element){say("%s[%s]", o->name, i), o->type, true}
                                             : element_of(&inner, o);
        write_element_and_more(&inner, &e);
        line(s, "}");
    }
}

void write_loop(struct scope *s)
{
    int what = below(21);
    bool search = chance(15);
    if (s->variable_count >= 5 || s->times > most_times(s) / 4)
        write_access(s);
    else if (search)
        searching(s);
    else if (s->parameter_count > 0 && what < 12)
        over_parameter(s);
    else if (chance(25))
        over_object(s);
    else if (chance(10))
        around(s);
    else if (s->variable_count > 0 && what < 8)
        triangular(s);
    else if (what < 16)
        counting(s);
    else if (what == 16)
        two_ended(s);
    else if (what == 17)
        doubling(s);
    else if (what == 18)
        walking(s);
    else if (what == 19)
        jumps(s);
    else
        chain(s);
}
