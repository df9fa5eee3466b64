/* Statements that hold others, and synchronization. */
#include "model.h"

#include <string.h>

void line(struct scope *s, const char *format, ...)
{
    char *text, *rest;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        return;
    va_end(arguments);
    for (char *one = strtok_r(text, "\n", &rest); one != NULL; one = strtok_r(NULL, "\n", &rest))
        fprintf(s->out, "%*s%s\n", 4 * s->indent, "", one);
}

/* --- synchronization --- */

enum { READER_WRITER = LOCKS - 1 };

/* A lock that is free; -1: none. */
static int free_lock(const struct scope *s)
{
    uint32_t unheld = ((1u << LOCKS) - 1) & ~s->held;
    return unheld != 0 ? one_of(unheld) : -1;
}

static void takes(struct scope *s, int lock)
{
    if (s->function != NULL)
        s->function->takes |= 1u << lock;
}

static const char *lock_text(struct scope *s, int lock)
{
    takes(s, lock);
    if (lock != READER_WRITER)
        return say("pthread_mutex_lock(&%smutex[%d]);", s->program->prefix, lock);
    return say("pthread_rwlock_%slock(&%srwlock);", s->program->guarded || chance(50) ? "wr" : "rd",
               s->program->prefix);
}

static const char *unlock_text(const struct scope *s, int lock)
{
    if (lock != READER_WRITER)
        return say("pthread_mutex_unlock(&%smutex[%d]);", s->program->prefix, lock);
    return say("pthread_rwlock_unlock(&%srwlock);", s->program->prefix);
}

static void fence(struct scope *s)
{
    static const char *const orders[] = {"ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST"};
    line(s, "__atomic_thread_fence(__ATOMIC_%s);", orders[below(4)]);
}

static void atomic(struct scope *s)
{
    const char *variable = say("&%satomic[%d]", s->program->prefix, below(ATOMICS));
    switch (below(7)) {
    case 0:
    case 5:
        line(s, "TAKE(__atomic_load_n(%s, __ATOMIC_%s));", variable, chance(75) ? "ACQUIRE" : "RELAXED");
        break;
    case 1:
    case 6:
        line(s, "__atomic_store_n(%s, %d, __ATOMIC_%s);", variable, below(9),
             chance(75) ? "RELEASE" : "RELAXED");
        break;
    case 2:
        line(s, "TAKE(__atomic_fetch_add(%s, 1, __ATOMIC_%s));", variable,
             chance(75) ? "ACQ_REL" : "RELAXED");
        break;
    case 3:
        line(s, "TAKE(__atomic_exchange_n(%s, 5, __ATOMIC_SEQ_CST));", variable);
        break;
    default:
        line(s,
             "{ int was = %d; TAKE(__atomic_compare_exchange_n(%s, &was, 7, 0, __ATOMIC_RELEASE, "
             "__ATOMIC_ACQUIRE)); }",
             below(9), variable);
    }
}

/* What is a call of which nothing is known. Nobody ever waits. */
static void call(struct scope *s)
{
    const char *p = s->program->prefix;
    int lock = free_lock(s);
    switch (below(6)) {
    case 0:
        line(s, "pthread_barrier_wait(&%sbarrier);", p);
        break;
    case 1:
        line(s, "sem_post(&%ssemaphore);", p);
        break;
    case 2:
        line(s, "(void)sem_trywait(&%ssemaphore);", p);
        break;
    case 3:
        line(s, "pthread_cond_%s(&%scondition);", chance(50) ? "signal" : "broadcast", p);
        break;
    case 4:
        if (lock >= 0 && lock != READER_WRITER) {
            takes(s, lock);
            line(s,
                 "pthread_mutex_lock(&%smutex[%d]);\npthread_cond_timedwait(&%scondition, &%smutex[%d], "
                 "&(struct timespec){0});\npthread_mutex_unlock(&%smutex[%d]);",
                 p, lock, p, p, lock, p, lock);
        }
        break;
    default:
        line(s, "(void)getppid();"); /* which might be anything */
    }
}

void write_synchronization(struct scope *s)
{
    int what = below(11), lock = free_lock(s);
    if (what < 3 && lock >= 0)
        line(s, "%s\n%s", lock_text(s, lock), unlock_text(s, lock));
    else if (what < 7)
        atomic(s);
    else if (what < 8)
        fence(s);
    else if (what < 9)
        line(s, "__asm__ volatile(\"\" : : : \"memory\");");
    else
        call(s);
}

static void critical_section(struct scope *s)
{
    int lock = free_lock(s);
    if (lock < 0)
        return;
    struct scope inner = *s;
    inner.held |= 1u << lock;
    inner.objects = objects_allowed(s->program, s->thread, inner.held);
    inner.exit = NULL;
    inner.can_break = inner.can_continue = false;
    inner.depth++;
    bool try = lock != READER_WRITER && chance(10);
    if (try) {
        takes(s, lock);
        line(s, "if (pthread_mutex_trylock(&%smutex[%d]) == 0) {", s->program->prefix, lock);
    } else {
        line(s, "%s", lock_text(s, lock));
    }
    inner.indent += try;
    write_statements(&inner, between(1, 4));
    line(&inner, "%s", unlock_text(s, lock));
    if (try)
        line(s, "}");
}

void write_accesses_around(struct scope *s)
{
    struct element e = element(s);
    int what = below(8), lock = free_lock(s);
    if (e.text == NULL || lock < 0)
        return;
    if (what == 0)
        line(s, "%s", lock_text(s, lock));
    else if (what == 6)
        line(s, "pthread_spin_lock(&%sspin);", s->program->prefix);
    write_access_to(s, &e);
    const char *atomic = say("&%satomic[%d]", s->program->prefix, below(ATOMICS));
    if (what == 0)
        line(s, "%s", unlock_text(s, lock));
    else if (what == 1)
        line(s, "%s", lock_text(s, lock));
    else if (what == 2)
        line(s, "TAKE(__atomic_load_n(%s, __ATOMIC_ACQUIRE));", atomic);
    else if (what == 3)
        line(s, "__atomic_store_n(%s, 3, __ATOMIC_RELEASE);", atomic);
    else if (what == 6 || what == 7)
        line(s, "pthread_spin_%s(&%sspin);", what == 6 ? "unlock" : "lock", s->program->prefix);
    else if (what == 4)
        line(s, "TAKE(__atomic_load_n(%s, __ATOMIC_RELAXED));\n__atomic_thread_fence(__ATOMIC_ACQUIRE);",
             atomic);
    else
        line(s, "__atomic_thread_fence(__ATOMIC_RELEASE);\n__atomic_store_n(%s, 3, __ATOMIC_RELAXED);",
             atomic);
    write_access_to(s, &e);
    if (what == 7)
        line(s, "pthread_spin_unlock(&%sspin);", s->program->prefix);
    if (what == 1)
        line(s, "%s", unlock_text(s, lock));
}

/* --- branches --- */

static void branch(struct scope *s)
{
    struct scope inner = *s;
    inner.indent++;
    inner.depth++;
    line(s, "if (%s) {", condition(s));
    write_statements(&inner, between(1, 2));
    if (chance(50)) {
        line(s, "} else {");
        write_statements(&inner, between(1, 2));
    }
    line(s, "}");
}

static void choice(struct scope *s)
{
    struct scope inner = *s;
    inner.indent++;
    inner.depth++;
    inner.can_break = false;
    line(s, "switch (%s %% 4) {", number(s));
    for (int i = 0; i < 3; i++) {
        line(s, "case %d:", i);
        write_statements(&inner, 1);
        line(&inner, chance(75) ? "break;" : "__attribute__((fallthrough));");
    }
    line(s, "default:;\n}");
}

/* --- the rest --- */

/* An array that no other thread knows. */
static void local_array(struct scope *s)
{
    int count = between(4, 12);
    line(s, "{\n    int local[%d];\n    for (int i = 0; i < %d; i++)\n        local[i] = i * %d;", count,
         count, between(1, 5));
    line(s, "    for (int i = %d; i >= 0; i--)\n        TAKE(local[i]);\n}", count - 1);
}

/* The same statements before and after something that orders threads, which may be one half of a critical
 * section. */
static void around_synchronization(struct scope *s)
{
    char *text;
    size_t size;
    struct scope inner = *s;
    inner.out = open_memstream(&text, &size);
    inner.depth++;
    inner.exit = NULL;
    inner.can_break = inner.can_continue = false;
    inner.held = (1u << LOCKS) - 1; /* it may be written between a lock and its unlock */
    write_statements(&inner, between(1, 2));
    fclose(inner.out);
    int lock = chance(50) ? free_lock(s) : -1;
    bool before = chance(50);
    if (lock >= 0 && !before)
        line(s, "%s", lock_text(s, lock));
    fputs(text, s->out);
    if (lock < 0)
        write_synchronization(s);
    else
        line(s, "%s", before ? lock_text(s, lock) : unlock_text(s, lock));
    if (chance(30))
        write_access(s);
    fputs(text, s->out);
    if (lock >= 0 && before)
        line(s, "%s", unlock_text(s, lock));
}

void write_statement(struct scope *s)
{
    int what = below(100);
    if (--*s->budget < 0 || s->depth > 4)
        what = 0;
    if (what < 26)
        write_access(s);
    else if (what < 36)
        write_accesses_nearby(s);
    else if (what < 39)
        write_accesses_around(s);
    else if (what < 60)
        write_loop(s);
    else if (what < (s->program->guarded ? 74 : 68))
        critical_section(s);
    else if (what < 76)
        branch(s);
    else if (what < 80)
        write_synchronization(s);
    else if (what < 89)
        write_call(s);
    else if (what < 94)
        write_block_access(s);
    else if (what < 95)
        choice(s);
    else if (what < 96)
        local_array(s);
    else
        around_synchronization(s);
}

void write_statements(struct scope *s, int count)
{
    while (count-- > 0)
        write_statement(s);
}
