/* A race of a running program as JSON, in the contract's shape (DESIGN §7). */
#include "report/live_writers.h"

#include <inttypes.h>
#include <string.h>

#include "report/fingerprint.h"
#include "report/report_json.h"

json_t *live_json_text(const char *text)
{
    return text != NULL ? report_json_text((struct name){text, (uint32_t)strlen(text)}) : json_null();
}

static json_t *address_json(uint64_t address)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    return json_string(text);
}

static json_t *number(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *frame_json(const struct live_frame *f)
{
    json_t *o =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "function", live_json_text(f->function), "file",
                  live_json_text(f->file), "line", number(f->line), "column", number(f->column), "module",
                  live_json_text(f->module), "offset", address_json(f->offset), "inlined", f->inlined);
    if (f->source != NULL && f->file != NULL && strcmp(f->source, f->file) != 0)
        json_object_set_new(o, "source", live_json_text(f->source));
    if (f->function_line > 0)
        json_object_set_new(o, "function_line", number(f->function_line));
    if (f->mark)
        json_object_set_new(o, "mark", json_true());
    if (f->module == NULL && f->address != 0)
        json_object_set_new(o, "address", address_json(f->address));
    return o;
}

static json_t *stack_json(const struct live_stack *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->count; i++)
        json_array_append_new(list, frame_json(&s->frame[i]));
    if (s->cut && s->count > 0) /* there are more below the last one */
        json_object_set_new(json_array_get(list, s->count - 1), "cut", json_true());
    return list;
}

static json_t *thread_name(const struct live_thread *t)
{
    char text[32];
    if (t == NULL)
        return json_null();
    snprintf(text, sizeof text, "T%" PRIu64, t->id);
    return json_string(t->id == 0 ? "main" : text);
}

/* null: not known. */
static json_t *held_json(const struct live_access *a)
{
    if (!a->locks_known)
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < a->lock_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "M%u", a->lock[i].mutex->number);
        json_array_append_new(list, json_pack("{s:s, s:o, s:s}", "mutex", name, "address",
                                              address_json(a->lock[i].mutex->address), "mode",
                                              a->lock[i].read ? "read" : "write"));
    }
    return list;
}

static json_t *access_json(const struct live_access *a)
{
    static const char *const word[] = {"read", "write", "atomic read", "atomic write"};
    json_t *o = json_pack("{s:o, s:s, s:o, s:o, s:o, s:b, s:o}", "thread", thread_name(a->thread), "access",
                          a->is_free ? "free" : word[a->kind], "size", number(a->size), "address",
                          address_json(a->address), "stack", stack_json(&a->stack), "stack_known",
                          a->stack.known, "held", held_json(a));
    if (a->locks_cut)
        json_object_set_new(o, "held_more", json_true());
    if (a->in_handler)
        json_object_set_new(o, "in_signal_handler", json_true());
    if (a->released != NULL) {
        char name[16];
        snprintf(name, sizeof name, "M%u", a->released->number);
        json_object_set_new(o, "after_release",
                            json_pack("{s:s, s:o}", "mutex", name, "stack", stack_json(&a->released_stack)));
    }
    return o;
}

static json_t *location_json(const struct live_location *l)
{
    static const char *const place[] = {"unknown", "global", "heap", "stack", "tls", "mapped", "descriptor"};
    if (l->place == LIVE_DESCRIPTOR)
        return json_pack("{s:s, s:o, s:o, s:o}", "kind", place[l->place], "descriptor", number(l->address),
                         "thread", thread_name(l->thread), "stack", stack_json(&l->stack));
    json_t *o = json_pack("{s:s, s:o}", "kind", place[l->place], "address", address_json(l->address));
    if (l->place == LIVE_UNKNOWN)
        return o;
    if (l->place == LIVE_GLOBAL) {
        json_object_set_new(o, "name", live_json_text(l->name));
        json_object_set_new(o, "size", number(l->size));
        json_object_set_new(o, "module", live_json_text(l->module));
        json_object_set_new(o, "offset", address_json(l->offset));
        return o;
    }
    if (l->place == LIVE_MAPPED) {
        json_object_set_new(o, "size", number(l->size));
        json_object_set_new(o, "file", live_json_text(l->name));
        return o;
    }
    json_object_set_new(o, "thread", thread_name(l->thread));
    if (l->place == LIVE_HEAP) {
        json_object_set_new(o, "size", number(l->size));
        json_object_set_new(o, "stack", stack_json(&l->stack));
        json_object_set_new(o, "freed", json_boolean(l->freed));
        if (l->free_stack.known) {
            json_object_set_new(o, "freed_by", thread_name(l->freed_by));
            json_object_set_new(o, "free_stack", stack_json(&l->free_stack));
        }
    }
    return o;
}

static json_t *threads_json(const struct live_race *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->thread_count; i++) {
        const struct live_thread *t = &r->thread[i];
        const struct live_thread creator = {.id = t->creator};
        json_array_append_new(
            list,
            json_pack("{s:o, s:o, s:o, s:b, s:o, s:o}", "thread", thread_name(t), "name",
                      live_json_text(t->name), "tid", number(t->kernel_id), "running", t->running,
                      "created_by", thread_name(t->id != 0 && t->creator != WIRE_NO_THREAD ? &creator : NULL),
                      "stack", stack_json(&t->stack)));
    }
    return list;
}

static json_t *mutexes_json(const struct live_race *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->mutex_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "M%u", r->mutex[i].number);
        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o}", "mutex", name, "address",
                                              address_json(r->mutex[i].address), "name",
                                              live_json_text(r->mutex[i].name), "stack",
                                              stack_json(&r->mutex[i].stack)));
    }
    return list;
}

/* All of it as one text. */
static json_t *explain_json(const struct live_race *r)
{
    struct pool pool = {.chunk = NULL};
    json_t *json = live_json_text(live_race_explain(r, &pool));
    pool_free(&pool);
    return json;
}

static json_t *sentences_json(const struct live_race *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->why.count; i++)
        json_array_append_new(list, live_json_text(r->why.line[i]));
    return list;
}

/* null: none that is known. */
static json_t *shape_json(const struct live_race *r)
{
    if (r->shape.name == NULL)
        return json_null();
    return json_pack("{s:s, s:o}", "name", r->shape.name, "advice", live_json_text(r->shape.advice));
}

static const char *sync_word(const struct live_sync *e)
{
    if (e->kind == WIRE_THREAD)
        return e->releases ? "create" : "join";
    if (!e->releases && !e->acquires)
        return e->writes ? "relaxed write" : "relaxed read";
    return e->releases && !(e->acquires && e->second) ? "release" : "acquire";
}

static json_t *syncs_json(const struct live_race *r)
{
    static const char *const kind[] = {
        [WIRE_LOCK] = "mutex",      [WIRE_ATOMIC] = "atomic", [WIRE_SEMAPHORE] = "semaphore",
        [WIRE_BARRIER] = "barrier", [WIRE_ONCE] = "once",     [WIRE_KERNEL] = "kernel",
        [WIRE_THREAD] = "thread",   [WIRE_FENCE] = "fence",   [WIRE_ANNOTATED] = "annotated"};
    json_t *list = json_array();
    for (size_t i = 0; i < r->sync_count; i++) {
        const struct live_sync *e = &r->sync[i];
        const struct live_thread other = {.id = e->object};
        char number[16];
        json_t *object =
            json_pack("{s:o, s:s, s:o, s:o, s:s, s:s, s:s, s:b, s:o}", "thread",
                      thread_name(e->second ? r->current.thread : r->earlier.thread), "what", sync_word(e),
                      "object", e->kind == WIRE_THREAD ? thread_name(&other) : live_json_text(e->name),
                      "address", e->kind == WIRE_THREAD ? json_null() : address_json(e->object), "kind",
                      kind[e->kind], "side", e->second ? "second" : "first", "position",
                      e->after ? "after" : "before", "reached", e->reached, "stack", stack_json(&e->stack));
        if (e->mutex != NULL) {
            snprintf(number, sizeof number, "M%u", e->mutex->number);
            json_object_set_new(object, "mutex", json_string(number));
        }
        json_array_append_new(list, object);
    }
    return list;
}

json_t *live_race_json(const struct live_race *r)
{
    char fingerprint[FINGERPRINT_BYTES];
    json_t *held = json_pack("{s:o, s:o}", "first", held_json(&r->earlier), "second", held_json(&r->current));
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kind",
                     race_kind_name[live_race_kind(r)], "fingerprint", live_race_fingerprint(r, fingerprint),
                     "first", access_json(&r->earlier), "second", access_json(&r->current), "location",
                     location_json(&r->location), "held", held, "explain", explain_json(r), "sentences",
                     sentences_json(r), "shape", shape_json(r), "unseen_library",
                     live_json_text(r->unseen.library), "sync", syncs_json(r), "threads", threads_json(r),
                     "mutexes", mutexes_json(r), "pid", number(r->pid));
}
