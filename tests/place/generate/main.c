/* Random small C programs whose threads take turns in a fixed order: generate [--plant] FIRST_SEED COUNT
 *
 * One file with all of them on standard output, to be built with tests/place/program.h; its first argument
 * says which one to run. --plant: in each, one access is not checked (what a bad check placement would do).
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum {
    MOST_STEPS = 10,
    HELD_LOCK = LOCKS - 1 /* the mutex of this number is not among those that steps take */
};

struct thread {
    char *text;
    size_t size;
    FILE *out;
    bool created, joined;
    int steps;
    int last; /* the step in which it is joined */
};

struct schedule {
    struct program *program;
    struct thread thread[MOST_THREADS];
    int created;   /* threads */
    int holder;    /* of the lock that is kept from step to step; -1: nobody */
    bool may_exit; /* in the middle of a late step */
    int freed;     /* the object that is freed while others may still be racing with that; -1: none */
};

/* --- steps --- */

static void create(struct schedule *s, int thread)
{
    const char *p = s->program->prefix;
    fprintf(s->thread[0].out, "    pthread_create(&threads[%d], NULL, %sthread%d, NULL);\n", thread, p,
            thread);
    fprintf(s->thread[0].out, "    await_threads(%d);\n", ++s->created);
    s->thread[thread].created = true;
}

static void join(struct schedule *s, int thread, int step)
{
    fprintf(s->thread[0].out, "    pthread_join(threads[%d], NULL);\n", thread);
    s->thread[thread].joined = true;
    s->thread[thread].last = step;
}

/* What only the main thread does: threads come and go. */
static void manage(struct schedule *s, int percent, int step)
{
    for (int i = 1; i < s->program->threads; i++) {
        struct thread *t = &s->thread[i];
        if (!t->created && chance(percent))
            create(s, i);
        else if (t->created && !t->joined && t->steps > 1 && s->holder != i && chance(8))
            join(s, i, step);
    }
}

static void keep_lock(struct schedule *s, int thread, bool begins)
{
    struct thread *t = &s->thread[thread];
    const char *p = s->program->prefix;
    if (begins && s->holder < 0 && chance(8)) {
        fprintf(t->out, "    pthread_mutex_lock(&%smutex[%d]);\n", p, HELD_LOCK);
        s->holder = thread;
    } else if (!begins && s->holder == thread && chance(60)) {
        fprintf(t->out, "    pthread_mutex_unlock(&%smutex[%d]);\n", p, HELD_LOCK);
        s->holder = -1;
    }
}

static void write_step(struct schedule *s, int step, int thread, bool late)
{
    struct program *p = s->program;
    struct thread *t = &s->thread[thread];
    int budget = between(4, 14);
    struct scope scope = {.program = p,
                          .out = t->out,
                          .indent = 1,
                          .objects = objects_allowed(p, thread, 0),
                          .thread = thread,
                          .ends = late && s->may_exit,
                          .times = 1,
                          .exit = say("goto end_of_%d;", step),
                          .budget = &budget};
    fprintf(t->out, "    /* --- step %d --- */\n    step_begins(%d);\n", step, step);
    keep_lock(s, thread, true);
    if (thread == 0)
        manage(s, step == 0 ? 50 : 100, step);
    if (chance(35))
        write_accesses_around(&scope);
    write_statements(&scope, between(2, 5));
    if (chance(35))
        write_accesses_around(&scope);
    if (scope.ends && chance(40))
        line(&scope, "if (%s) leave_program(%d);", condition(&scope), below(3));
    fprintf(t->out, "end_of_%d: __attribute__((unused));\n", step);
    if (thread == 0 && step == 0)
        manage(s, 50, step);
    keep_lock(s, thread, false);
    t->steps++;
}

static int next_thread(const struct schedule *s, int last)
{
    uint32_t ready = 1, fresh = 0;
    for (int i = 1; i < s->program->threads; i++) {
        const struct thread *t = &s->thread[i];
        if (t->created && !t->joined)
            ready |= 1u << i;
        if (t->created && t->steps == 0)
            fresh |= 1u << i;
    }
    if (fresh != 0 && chance(60))
        return one_of(fresh);
    if (chance(80) && (ready & ~(1u << last)) != 0)
        ready &= ~(1u << last);
    return one_of(ready);
}

static void free_early(struct schedule *s)
{
    for (int i = 0; i < s->program->object_count && s->freed < 0; i++)
        if (s->program->object[i].home == HEAP && !s->program->guarded && chance(10)) {
            fprintf(s->thread[0].out, "    free(%s);\n", s->program->object[i].name);
            s->freed = i;
        }
}

static int write_steps(struct schedule *s)
{
    int steps = between(4, MOST_STEPS), thread = 0;
    for (int step = 0; step < steps; step++) {
        if (step > 0)
            thread = next_thread(s, thread);
        write_step(s, step, thread, 2 * step > steps);
        if (step == steps - 1 && thread == 0)
            free_early(s);
        fprintf(s->thread[thread].out, "    step_ends(%d);\n", step);
    }
    fprintf(s->thread[0].out, "    step_begins(%d);\n", steps);
    return steps;
}

/* --- the program --- */

static void write_threads(struct schedule *s, FILE *out)
{
    const char *p = s->program->prefix;
    for (int i = 1; i < s->program->threads; i++) {
        fprintf(
            out,
            "static void *%sthread%d(void *unused)\n{\n    unsigned long sum = 0;\n    thread_arrives();\n",
            p, i);
        fputs(s->thread[i].text, out);
        fprintf(out, "    step_begins(%d);\n    %ssink[%d] = sum;\n    %s;\n}\n\n", s->thread[i].last, p, i,
                chance(15) ? "pthread_exit(unused)" : "return unused");
    }
}

static void write_main_thread(struct schedule *s, FILE *out)
{
    struct program *p = s->program;
    fprintf(out, "static void %srun(void)\n{\n    unsigned long sum = 0;\n    pthread_t threads[%d];\n",
            p->prefix, MOST_THREADS);
    objects_set_up(p, out);
    fputs(s->thread[0].text, out);
    fprintf(out, "    %ssink[0] = sum;\n", p->prefix);
    for (int i = 0; i < p->object_count; i++)
        if (p->object[i].home == HEAP && i != s->freed)
            fprintf(out, "    free(%s);\n", p->object[i].name);
    fprintf(out, "}\n\n");
}

/* *sites: how many accesses it has. */
static void write_program(long seed, int planted, int *sites, FILE *out)
{
    random_begin((uint64_t)seed);
    struct program p = {.seed = seed, .prefix = say("p%ld_", seed), .planted = planted};
    struct schedule s = {.program = &p, .holder = -1, .freed = -1};
    p.threads = between(2, MOST_THREADS);
    p.guarded = chance(45);
    p.slip = p.guarded && chance(40) ? 4 : 0;
    s.may_exit = chance(15);
    objects_make(&p);
    fprintf(out, "/* === seed %ld: %d threads, %s%s === */\n\n", seed, p.threads,
            p.guarded ? "guarded" : "free", p.slip > 0 ? " with slips" : "");
    objects_declare(&p, out);
    write_functions(&p, out);
    for (int i = 0; i < p.threads; i++)
        s.thread[i].out = open_memstream(&s.thread[i].text, &s.thread[i].size);
    s.thread[0].created = true;
    int steps = write_steps(&s);
    for (int i = 1; i < p.threads; i++)
        if (s.thread[i].created && !s.thread[i].joined)
            join(&s, i, steps);
    for (int i = 0; i < p.threads; i++)
        fclose(s.thread[i].out);
    write_threads(&s, out);
    write_main_thread(&s, out);
    *sites = p.sites;
}

/* One of its accesses, whichever the seed says; it is written once only to know how many there are. */
static int planted_site(long seed)
{
    char *text;
    size_t size;
    int sites;
    FILE *nowhere = open_memstream(&text, &size);
    write_program(seed, -1, &sites, nowhere);
    fclose(nowhere);
    free(text);
    return (int)(seed * 7 % (sites > 0 ? sites : 1));
}

int main(int argc, char **argv)
{
    bool plant = argc > 1 && strcmp(argv[1], "--plant") == 0;
    if (argc - plant != 3) {
        fprintf(stderr, "usage: generate [--plant] FIRST_SEED COUNT\n");
        return 2;
    }
    long first = atol(argv[1 + plant]), count = atol(argv[2 + plant]);
    int sites;
    printf("#include \"program.h\"\n\n");
    for (long i = 0; i < count; i++)
        write_program(first + i, plant ? planted_site(first + i) : -1, &sites, stdout);
    printf("static const struct program programs[] = {\n");
    for (long i = 0; i < count; i++)
        printf("    {%ld, p%ld_run},\n", first + i, first + i);
    printf("};\n\nint main(int argc, char **argv)\n{\n");
    printf("    return run_program(programs, %ld, argc, argv);\n}\n", count);
    return 0;
}
