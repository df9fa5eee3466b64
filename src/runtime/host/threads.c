/* Threads as events: the hooks of runtime/thread.h. What reports say of a thread is kept for ever: the
 * runtime may forget it when it has ended. */
#include "runtime/host/posts.h"
#include "runtime/host/recorder.h"
#include "runtime/host/stream.h"

/* --- what is remembered of a thread --- */

struct facts {
    uint32_t creator, creation_node;
    int kernel_id;
    char name[sizeof((struct thread *)NULL)->name];
    struct thread *shown;
};

static struct facts *facts; /* by id */
static size_t facts_capacity;
static struct arena memory;

static void remember(const struct thread *t)
{
    facts = mem_reserve(events_mem, facts, sizeof *facts, &facts_capacity, t->id + 1);
    struct facts *f = &facts[t->id];
    f->creator = t->creator;
    f->creation_node = t->creation_node;
    f->kernel_id = t->kernel_id;
    memcpy(f->name, t->name, sizeof f->name);
}

/* A thread that has only what reports look at. */
static const struct thread *show(uint32_t id)
{
    struct facts *f = &facts[id];
    if (f->shown == NULL)
        f->shown = arena_take(&memory, offsetof(struct thread, clock));
    f->shown->id = id;
    f->shown->creator = f->creator;
    f->shown->creation_node = f->creation_node;
    f->shown->kernel_id = f->kernel_id;
    memcpy(f->shown->name, f->name, sizeof f->name);
    return f->shown;
}

const struct thread *events_thread(uint32_t id)
{
    const struct thread *t = thread_first();
    while (t != NULL && t->id != id)
        t = t->next;
    if (t == NULL || t->host == NULL) { /* forgotten, or about to be */
        events_enter();
        t = show(id);
        events_leave();
    }
    return t;
}

/* --- events --- */

static struct host_thread *add(struct thread *t)
{
    remember(t);
    struct host_thread *h = mem_alloc(events_mem, sizeof *h);
    h->id = t->id;
    h->of = t;
    h->next = events_threads;
    h->link = &events_threads;
    if (h->next != NULL)
        h->next->link = &h->next;
    if (recorder_on)
        h->stream = stream_new(t);
    events_threads = t->host = h;
    return h;
}

static void end_stream(struct host_thread *h)
{
    if (h->stream != NULL) {
        recorder_turns_of(h->stream); /* before somebody joins it */
        stream_end(h->stream);
    }
    h->stream = NULL;
}

static void remove_thread(struct thread *t)
{
    struct host_thread *h = t->host;
    remember(t);
    *h->link = h->next;
    if (h->next != NULL)
        h->next->link = h->link;
    end_stream(h);
    posts_free(&h->fenced);
    posts_free(&h->loaded);
    mem_free(events_mem, h, sizeof *h);
    t->host = NULL;
}

/* What it does comes after the thread began, for which there is a record now. */
static void begin_stream(struct host_thread *h)
{
    if (h->stream != NULL)
        stream_synced(h->stream, true);
}

/* What each of them has published at this moment. */
static void learn_from_all(struct host_thread *h)
{
    struct mailbox all = {0};
    for (struct host_thread *other = events_threads; other != NULL; other = other->next)
        if (other != h)
            posts_publish(&all, other);
    posts_learn(&all, h);
    posts_free(&all);
}

void host_learned_all(struct thread *t)
{
    events_enter();
    learn_from_all(t->host);
    events_leave();
}

/* The first thread is nobody's child, nor is one that the C library has created for a callback. Any other that we have not
 * seen created is taken to know what all others know (runtime/thread.c): a child of one of them that learns what each of
 * them has published at this moment. */
void host_adopted(struct thread *t)
{
    events_enter();
    struct host_thread *parent = events_threads, *h = add(t);
    if (parent == NULL || t->callback) {
        events_sync(h, OP_DUMMY, NO_TARGET, EVENT_STARTS_THREAD);
    } else {
        events_sync(parent, OP_FORK, h->id, 0);
        learn_from_all(h);
    }
    begin_stream(h);
    events_leave();
}

void host_forked(struct thread *creator, struct thread *t)
{
    events_enter();
    events_sync(creator->host, OP_FORK, add(t)->id, 0);
    begin_stream(t->host);
    events_leave();
}

static void join(struct host_thread *joiner, struct thread *ended)
{
    if (recorder_on)
        recorder_turns_of(ended->host->stream); /* of one that could not tell of its end */
    events_sync(joiner, OP_JOIN, ended->host->id, EVENT_LAST_OUT);
    remove_thread(ended);
}

void events_forked(void)
{
    for (struct host_thread *h = events_threads, *next; h != NULL && thread_self != NULL; h = next) {
        next = h->next;
        if (h->of != thread_self)
            join(thread_self->host, h->of);
    }
}

void host_joined(struct thread *joiner, struct thread *ended)
{
    events_enter();
    if (ended->host != NULL)
        join(joiner->host, ended);
    events_leave();
}

void host_ended(struct thread *t)
{
    events_enter();
    if (t->host != NULL)
        end_stream(t->host);
    events_leave();
}

void host_gone(struct thread *t)
{
    events_enter();
    if (t->host != NULL) {
        events_drop(OP_JOIN, t->host->id);
        remove_thread(t);
    }
    events_leave();
}
