/* Functions that the program registers to be called later by the C library: exit handlers, and the destructors of
 * thread-specific data.
 *
 * When one runs, the stack below its own calls is that of its registration, with a mark between the two (enum wire_mark):
 * who called exit() says little about why the handler runs. What came before the registration of an exit handler is before
 * the handler: libc keeps them under a lock. The key of a destructor reaches its threads by the program's own means.
 *
 * libc hands the argument of atexit() and on_exit() back, which becomes ours. To a destructor it hands the value, and to
 * the handlers of quick_exit() nothing: for these there is a pool of entry points that know their own number.
 */
#include <limits.h>
#include <pthread.h>
#include <threads.h>

#include "base/arena.h"
#include "report/wire.h"
#include "runtime/intercept/caller.h"
#include "runtime/stack.h"
#include "runtime/sync.h"
#include "runtime/world.h"

int __cxa_atexit(void (*function)(void *), void *argument, void *library);
int __cxa_at_quick_exit(void (*function)(void *), void *library);
int on_exit(void (*function)(int, void *), void *argument);

struct handler {
    union {
        void (*plain)(void *);
        void (*with_status)(int, void *);
    } function;
    void *argument;
    uint32_t node;        /* stack of the registration, and the mark */
    uintptr_t order;      /* a sync object; 0: none */
    struct handler *next; /* free ones only */
};

static uint32_t registered_at(struct thread *t, enum wire_mark mark, uintptr_t pc)
{
    t->inside++;
    uint32_t node = stack_node_marked(t, pc, mark);
    thread_outside(t);
    return node;
}

/* Each registration releases into a place of its own, which only the handler acquires. (Where there are more of them than
 * places, some are shared: then handlers are ordered too much, never too little.) */
static uintptr_t release(struct thread *t)
{
    enum { PLACES = 1 << 14 };
    static char place[PLACES][4] __attribute__((aligned(64))); /* never touched */
    static uint32_t count;
    uintptr_t order = (uintptr_t)place[add_relaxed(&count, 1) % PLACES];
    t->inside++;
    sync_publish(t, order);
    thread_outside(t);
    return order;
}

static void acquire(struct thread *t, uintptr_t order)
{
    if (order == 0)
        return;
    t->inside++;
    sync_acquire(t, order);
    thread_outside(t);
}

/* --- calling --- */

struct call {
    struct thread *thread; /* NULL: it is not the program's any more */
    struct frame *top;
};

static __attribute__((noinline)) struct call begin(uint32_t node, uintptr_t order, const void *stack_pointer)
{
    struct thread *t = caller();
    if (t == NULL)
        return (struct call){NULL, NULL};
    acquire(t, order);
    struct call call = {t, t->top};
    stack_push_node(t, node, (uintptr_t)stack_pointer);
    return call;
}

static void end(struct call call)
{
    if (call.thread != NULL)
        call.thread->top = call.top;
}

/* --- with an argument of ours --- */

static struct spin lock;
static struct handler *free_handlers; /* under the lock */
static struct arena memory;

static struct handler *keep(struct thread *t, const struct handler *what)
{
    t->inside++;
    world_enter(t); /* nobody has the lock when another thread forks */
    spin_lock(&lock);
    struct handler *h = free_handlers;
    if (h != NULL)
        free_handlers = h->next;
    spin_unlock(&lock);
    h = h != NULL ? h : arena_take(&memory, sizeof *h);
    *h = *what;
    world_leave(t);
    thread_outside(t);
    return h;
}

static void give(struct thread *t, struct handler *h)
{
    t->inside++;
    world_enter(t);
    spin_lock(&lock);
    h->next = free_handlers;
    free_handlers = h;
    spin_unlock(&lock);
    world_leave(t);
    thread_outside(t);
}

/* The handler is called once; its memory may be used again from then on. */
static struct handler taken(struct handler *h)
{
    struct handler copy = *h;
    struct thread *t = caller();
    if (t != NULL)
        give(t, h);
    return copy;
}

static void call_plain(void *ours)
{
    struct handler h = taken(ours);
    struct call call = begin(h.node, h.order, __builtin_frame_address(0));
    h.function.plain(h.argument);
    end(call);
}

static void call_with_status(int status, void *ours)
{
    struct handler h = taken(ours);
    struct call call = begin(h.node, h.order, __builtin_frame_address(0));
    h.function.with_status(status, h.argument);
    end(call);
}

INTERCEPT int __cxa_atexit(void (*function)(void *), void *argument, void *library)
{
    struct thread *t = caller();
    if (t == NULL)
        return REAL(__cxa_atexit)(function, argument, library);
    struct handler *h = keep(t, &(struct handler){.function.plain = function,
                                                  .argument = argument,
                                                  .node = registered_at(t, WIRE_MARK_EXIT, CALLER_PC),
                                                  .order = release(t)});
    int result = REAL(__cxa_atexit)(call_plain, h, library);
    if (result != 0)
        give(t, h);
    return result;
}

INTERCEPT int on_exit(void (*function)(int, void *), void *argument)
{
    struct thread *t = caller();
    if (t == NULL)
        return REAL(on_exit)(function, argument);
    struct handler *h = keep(t, &(struct handler){.function.with_status = function,
                                                  .argument = argument,
                                                  .node = registered_at(t, WIRE_MARK_EXIT, CALLER_PC),
                                                  .order = release(t)});
    int result = REAL(on_exit)(call_with_status, h);
    if (result != 0)
        give(t, h);
    return result;
}

/* --- with an entry point of ours --- */

enum {
    ENTRIES = 1280
}; /* PTHREAD_KEYS_MAX, and handlers of quick_exit(); where none is left, libc calls the function directly */
_Static_assert(ENTRIES > PTHREAD_KEYS_MAX, "");

/* Written before libc knows of it. One that was given back stays as it is until it is used again, as late as
 * possible: a thread that ends may have read the address of a key's destructor just before the key was deleted. */
static struct handler entry[ENTRIES];
static uint32_t entry_used[ENTRIES];
static uint32_t next_entry;
static uint32_t of_key[PTHREAD_KEYS_MAX]; /* which entry, plus 1 */

__attribute__((used)) HIDDEN void exit_handlers_call(void *value, uint32_t number);
__attribute__((used)) void exit_handlers_call(void *value, uint32_t number)
{
    const struct handler h = entry[number];
    struct call call = begin(h.node, h.order, __builtin_frame_address(0));
    h.function.plain(value);
    end(call);
}

enum { ENTRY_BYTES = 16 };
extern HIDDEN const char exit_handlers_entry[];
__asm__(".pushsection .text\n\t"
        ".p2align 4\n"
        "exit_handlers_entry:\n\t"
        ".set exit_handlers_number, 0\n\t"
        ".rept 1280\n\t"
        ".p2align 4\n\t"
        "movl $exit_handlers_number, %esi\n\t"
        "jmp exit_handlers_call\n\t"
        ".set exit_handlers_number, exit_handlers_number + 1\n\t"
        ".endr\n\t"
        ".popsection");
_Static_assert(ENTRIES == 1280 && ENTRY_BYTES == 16, "as written there");

typedef void (*plain_function)(void *);

/* The entry point to give to libc in place of `function`, which is returned where there is no entry left. */
static plain_function entry_for(plain_function function, uint32_t node, uintptr_t order)
{
    for (uint32_t tries = 0; tries < ENTRIES; tries++) {
        uint32_t number = add_relaxed(&next_entry, 1) % ENTRIES;
        if (exchange_acq_rel(&entry_used[number], 1) != 0)
            continue;
        entry[number] = (struct handler){.function.plain = function, .node = node, .order = order};
        return (plain_function)(uintptr_t)(exit_handlers_entry + ENTRY_BYTES * number);
    }
    return function;
}

static uint32_t number_of(plain_function function)
{
    return (uint32_t)(((uintptr_t)function - (uintptr_t)exit_handlers_entry) / ENTRY_BYTES);
}

static void give_entry(uint32_t number)
{
    if (number < ENTRIES)
        store_release(&entry_used[number], 0);
}

INTERCEPT int __cxa_at_quick_exit(void (*function)(void *), void *library)
{
    struct thread *t = caller();
    if (t == NULL)
        return REAL(__cxa_at_quick_exit)(function, library);
    plain_function given = entry_for(function, registered_at(t, WIRE_MARK_QUICK_EXIT, CALLER_PC), release(t));
    int result = REAL(__cxa_at_quick_exit)(given, library);
    if (result != 0)
        give_entry(number_of(given));
    return result;
}

#define MAKE_KEY(call)                                                                                       \
    struct thread *t = caller();                                                                             \
    plain_function given = destructor;                                                                       \
    if (t != NULL && destructor != NULL)                                                                     \
        given = entry_for(destructor, registered_at(t, WIRE_MARK_KEY, CALLER_PC), 0);                        \
    int result = call;                                                                                       \
    if (given != destructor && result != 0)                                                                  \
        give_entry(number_of(given));                                                                        \
    else if (result == 0 && *key < PTHREAD_KEYS_MAX)                                                         \
        store_release(&of_key[*key], given != destructor ? number_of(given) + 1 : 0);                        \
    return result

static uint32_t entry_of(unsigned key)
{
    return key < PTHREAD_KEYS_MAX ? load_acquire(&of_key[key]) : 0;
}

/* The key is gone; another with its number may already be there. */
static void forget_key(unsigned key, uint32_t number)
{
    if (number == 0)
        return;
    uint32_t seen = number;
    cas_acq_rel(&of_key[key], &seen, 0);
    give_entry(number - 1);
}

INTERCEPT int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    MAKE_KEY(REAL(pthread_key_create)(key, given));
}

INTERCEPT int pthread_key_delete(pthread_key_t key)
{
    uint32_t number = entry_of(key);
    int result = REAL(pthread_key_delete)(key);
    if (result == 0)
        forget_key(key, number);
    return result;
}

INTERCEPT int tss_create(tss_t *key, tss_dtor_t destructor)
{
    MAKE_KEY(REAL(tss_create)(key, given));
}

INTERCEPT void tss_delete(tss_t key)
{
    uint32_t number = entry_of(key);
    REAL(tss_delete)(key);
    forget_key(key, number);
}
