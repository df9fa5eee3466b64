/* The memory that threads share: which there is, its declarations, and its first values. */
#include "model.h"

#include <string.h>

const char *const type_name[TYPES] = {"unsigned char", "short",  "int",         "long",
                                      "float",         "double", "three_bytes", "wide"};
const int type_size[TYPES] = {1, 2, 4, 8, 4, 8, 4, 16};

/* --- which --- */

static void make_fields(struct program *p)
{
    p->packed = chance(15);
    p->field_count = between(4, MOST_FIELDS);
    for (int i = 0; i < p->field_count; i++) {
        struct field *f = &p->field[i];
        *f = (struct field){.name = say("f%d", i), .type = (enum type)below(TYPES)};
        if (chance(20))
            f->count = between(2, 5);
        else if (chance(20)) {
            f->type = INT;
            f->bits = between(1, 9);
        } else if (chance(15)) {
            f->type = INT;
            f->united = true;
        }
    }
}

static int fitting_count(enum shape shape)
{
    if (shape == GRID)
        return between(4, 9);
    if (shape == RECORDS || shape == NODES)
        return between(5, 14);
    if (shape == POINTERS)
        return between(6, 12);
    return chance(6) ? between(800, 3000) : between(8, 64);
}

/* POINTERS need an array of int to point into: the first object is one. */
static void make_object(struct program *p, int i)
{
    struct object *o = &p->object[i];
    *o = (struct object){.shape = i == 0 || chance(45) ? ARRAY : (enum shape)below(5),
                         .home = (enum home)below(4),
                         .type = i == 0 ? INT : (enum type)below(TYPES),
                         .lock = chance(70) ? below(LOCKS) : -1,
                         .owner = below(p->threads)};
    o->name = say("%s%c%d", p->prefix, "agrpn"[o->shape], i);
    o->count = fitting_count(o->shape);
    o->columns = o->shape == GRID ? between(3, 12) : 0;
    if (o->shape == GRID || o->shape == POINTERS || o->shape == NODES)
        o->home = (enum home)below(2);
}

void objects_make(struct program *p)
{
    make_fields(p);
    p->object_count = between(3, MOST_OBJECTS);
    for (int i = 0; i < p->object_count; i++)
        make_object(p, i);
    for (int i = 0; i < FACTS; i++)
        p->fact[i] = chance(70) ? below(12) : below(60);
}

uint32_t objects_allowed(const struct program *p, int thread, uint32_t held)
{
    uint32_t allowed = 0;
    for (int i = 0; i < p->object_count; i++) {
        const struct object *o = &p->object[p->object[i].shape == POINTERS ? 0 : i];
        if (!p->guarded || (o->lock < 0 ? o->owner == thread : (held >> o->lock & 1) != 0))
            allowed |= UINT32_C(1) << i;
    }
    return allowed;
}

/* --- declarations --- */

static const char *element_type(const struct program *p, const struct object *o)
{
    if (o->shape == RECORDS)
        return say("struct %srecord", p->prefix);
    if (o->shape == NODES)
        return say("struct %snode", p->prefix);
    return say("%s", o->shape == POINTERS ? "int *" : type_name[o->type]);
}

static void declare_record(const struct program *p, FILE *out)
{
    fprintf(out, "struct %srecord {\n", p->prefix);
    for (int i = 0; i < p->field_count; i++) {
        const struct field *f = &p->field[i];
        const char *type = f->united ? "union mixture" : type_name[f->type];
        fprintf(out, "    %s%s %s", f->bits > 0 ? "unsigned " : "", type, f->name);
        if (f->bits > 0)
            fprintf(out, " : %d", f->bits);
        if (f->count > 0)
            fprintf(out, "[%d]", f->count);
        fprintf(out, ";\n");
    }
    fprintf(out, "}%s;\n", p->packed ? " __attribute__((packed))" : "");
    fprintf(out, "struct %snode {\n    int v;\n    struct %snode *next;\n    short w;\n    long x;\n};\n",
            p->prefix, p->prefix);
}

void objects_declare(const struct program *p, FILE *out)
{
    declare_record(p, out);
    for (int i = 0; i < p->object_count; i++) {
        const struct object *o = &p->object[i];
        const char *linkage = o->home == PUBLIC_GLOBAL ? "" : "static ";
        if (o->home == HEAP || o->home == STACK)
            fprintf(out, "static %s *%s;\n", element_type(p, o), o->name);
        else if (o->shape == GRID)
            fprintf(out, "%s%s %s[%d][%d];\n", linkage, element_type(p, o), o->name, o->count, o->columns);
        else
            fprintf(out, "%s%s %s[%d];\n", linkage, element_type(p, o), o->name, o->count);
    }
    fprintf(out, "static long %sfact[%d];\n", p->prefix, FACTS);
    fprintf(out, "static int %satomic[%d];\n", p->prefix, ATOMICS);
    fprintf(out, "static volatile unsigned long %ssink[%d];\n", p->prefix, MOST_THREADS);
    fprintf(out, "static pthread_mutex_t %smutex[%d];\n", p->prefix, LOCKS);
    fprintf(out, "static pthread_rwlock_t %srwlock = PTHREAD_RWLOCK_INITIALIZER;\n", p->prefix);
    fprintf(out, "static pthread_cond_t %scondition = PTHREAD_COND_INITIALIZER;\n", p->prefix);
    fprintf(out, "static pthread_barrier_t %sbarrier;\nstatic sem_t %ssemaphore;\n", p->prefix, p->prefix);
    fprintf(out, "static pthread_spinlock_t %sspin;\n\n", p->prefix);
}

/* --- the beginning --- */

const char *object_first(const struct object *o)
{
    return say(o->shape == GRID ? "%s[0]" : "%s", o->name);
}

const char *object_bytes(const struct object *o)
{
    if (o->shape == GRID)
        return say("sizeof %s", o->name);
    return say("%d * sizeof *%s", o->count, o->name);
}

static void set_up_links(const struct program *p, const struct object *o, FILE *out)
{
    for (int i = 0; i < o->count && o->shape == POINTERS; i++)
        fprintf(out, "    %s[%d] = &%s[%d];\n", o->name, i, p->object[0].name, below(p->object[0].count));
    for (int i = 0; i + 1 < o->count && o->shape == NODES; i++)
        fprintf(out, "    %s[%d].next = &%s[%d];\n", o->name, i, o->name, i + 1 + below(o->count - i - 1));
}

void objects_set_up(struct program *p, FILE *out)
{
    for (int i = 0; i < p->object_count; i++) {
        const struct object *o = &p->object[i];
        const char *type = element_type(p, o);
        if (o->home == HEAP)
            fprintf(out, "    %s = calloc(%d, sizeof *%s);\n", o->name, o->count, o->name);
        if (o->home == STACK)
            fprintf(out,
                    "    %s on_stack%d[%d];\n    memset(on_stack%d, 0, sizeof on_stack%d);\n    %s = "
                    "on_stack%d;\n",
                    type, i, o->count, i, i, o->name, i);
        fprintf(out, "    region(\"%s\", %s, %s);\n", o->name, object_first(o), object_bytes(o));
        set_up_links(p, o, out);
    }
    for (int i = 0; i < FACTS; i++)
        fprintf(out, "    %sfact[%d] = opaque(%d);\n", p->prefix, i, p->fact[i]);
    fprintf(out, "    for (int i = 0; i < %d; i++)\n        pthread_mutex_init(&%smutex[i], NULL);\n", LOCKS,
            p->prefix);
    fprintf(out, "    pthread_barrier_init(&%sbarrier, NULL, 1);\n    sem_init(&%ssemaphore, 0, 0);\n",
            p->prefix, p->prefix);
    fprintf(out, "    pthread_spin_init(&%sspin, 0);\n", p->prefix);
    for (const char *const *more = (const char *const[]){"fact", "atomic", "mutex", NULL}; *more != NULL;
         more++)
        fprintf(out, "    region(\"%s%s\", (void *)%s%s, sizeof %s%s);\n", p->prefix, *more, p->prefix, *more,
                p->prefix, *more);
    fprintf(out, "    watch_begins(%smutex, %d, &%srwlock, %satomic, %d);\n", p->prefix, LOCKS, p->prefix,
            p->prefix, ATOMICS);
}
