#include "report/shape.h"

#include <inttypes.h>
#include <string.h>

#include "report/explain.h"
#include "report/own_frame.h"
#include "report/snippet.h"

/* --- what the accesses are --- */

/* One access, and the other. */
struct side {
    const struct live_access *access;
    const struct live_frame *frame; /* with a line; NULL: none */
    bool second;
};

static struct side side_of(const struct live_race *r, bool second)
{
    const struct live_access *a = second ? &r->current : &r->earlier;
    return (struct side){a, live_stack_shown(&a->stack), second};
}

static bool is_plain(const struct live_access *a, enum wire_access_kind kind)
{
    return a->kind == kind && !a->is_free;
}

static bool both_write(const struct live_race *r)
{
    return live_race_kind(r) == RACE_WRITE_WRITE;
}

/* No lock, as far as is known: a library's own may not be (report/unseen.h). */
static bool holds_nothing(const struct live_race *r, const struct live_access *a)
{
    return r->unseen.library == NULL && a->locks_known && a->lock_count == 0;
}

static bool same_function(const struct live_frame *a, const struct live_frame *b)
{
    return a->function != NULL && b->function != NULL && a->source != NULL && b->source != NULL &&
           strcmp(a->function, b->function) == 0 && strcmp(a->source, b->source) == 0;
}

/* Both frames have called the ones further in, a[-1] and b[-1], at the same place. What was inlined there has
 * no call of its own, whose address would tell. */
static bool called_at_same_place(const struct live_frame *a, const struct live_frame *b)
{
    return a->address == b->address || (a[-1].inlined && b[-1].inlined && same_function(a, b) &&
                                        a->line == b->line && a->column == b->column);
}

/* Where the same call of a function as that of the access did it: itself, or through functions of other
 * files, such as the C++ library's. NULL: it did not. */
static const struct live_frame *in_same_call(const struct live_sync *e, const struct side *s)
{
    const struct live_stack *a = &s->access->stack, *b = &e->stack;
    size_t outer = a->count - (size_t)(s->frame - a->frame) - 1;
    if (b->count <= outer)
        return NULL;
    const struct live_frame *f = &b->frame[b->count - outer - 1];
    for (size_t i = 0; i < outer; i++)
        if (!called_at_same_place(&s->frame[1 + i], &f[1 + i]))
            return NULL;
    if (!same_function(f, s->frame))
        return NULL;
    for (const struct live_frame *inner = b->frame; inner < f; inner++)
        if (inner->source != NULL && strcmp(inner->source, f->source) == 0)
            return NULL;
    return f;
}

static const struct live_lock *held_lock(const struct live_access *a, uint64_t object)
{
    for (size_t i = 0; i < a->lock_count; i++)
        if (a->lock[i].mutex->address == object)
            return &a->lock[i];
    return NULL;
}

/* --- what the source says --- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Behind the word in the text; NULL: it is not there. */
static const char *after_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; length > 0 && (at = strstr(at, word)) != NULL; at++)
        if ((at == text || !is_word(at[-1])) && !is_word(at[length]))
            return at + length;
    return NULL;
}

static const char *line_of(struct pool *pool, const struct side *s)
{
    struct snippet text = snippet_of(pool, s->frame, 0);
    return text.count == 1 ? text.line[0] : "";
}

static bool begins_with_any(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(text, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/* "n++", "--n", "n += 2" */
static bool updates(const char *line, const char *name)
{
    static const char *const operators[] = {
        "++", "--", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>="};
    size_t length = strlen(name);
    for (const char *end = line; (end = after_word(end, name)) != NULL;) {
        const char *before = end - length;
        while (before > line && before[-1] == ' ')
            before--;
        if (begins_with_any(end + strspn(end, " "), operators, array_length(operators)) ||
            (before >= line + 2 && begins_with_any(before - 2, operators, 2)))
            return true;
    }
    return false;
}

/* "stop = true" */
static bool assigns_constant(const char *line, const char *name)
{
    const char *at = after_word(line, name);
    if (at == NULL)
        return false;
    at += strspn(at, " ");
    if (at[0] != '=' || at[1] == '=')
        return false;
    at += 1 + strspn(at + 1, " ");
    return (at[0] >= '0' && at[0] <= '9') || strncmp(at, "true", 4) == 0 || strncmp(at, "false", 5) == 0;
}

/* Its own name, without namespace or class. */
static const char *own_name(const char *name)
{
    const char *colon = strrchr(name, ':');
    return colon != NULL ? colon + 1 : name;
}

/* The access is made by the line itself, not by a function of the system's that it calls. */
static bool is_innermost(const struct side *s)
{
    for (const struct live_frame *f = s->access->stack.frame; f < s->frame; f++)
        if (f->file != NULL)
            return false;
    return true;
}

/* --- the shapes; `a` is the earlier access, or either where a shape is asked for both ways round --- */

/* The line reads the variable, and writes it. */
static bool is_update(const struct live_race *r, const struct side *a, const struct side *b,
                      struct pool *pool)
{
    const struct live_location *l = &r->location;
    if (a->access->kind != b->access->kind)
        return true;
    return l->place == LIVE_GLOBAL && l->name != NULL && l->size == a->access->size &&
           updates(line_of(pool, a), own_name(l->name));
}

static struct shape counter(const struct live_race *r, const struct side *a, const struct side *b,
                            struct pool *pool)
{
    const struct live_access *x = a->access, *y = b->access;
    bool one_line = a->frame->line == b->frame->line && strcmp(a->frame->source, b->frame->source) == 0;
    bool one_variable = x->address == y->address && x->size == y->size && x->size <= 8;
    bool plain = x->kind <= WIRE_WRITE && y->kind <= WIRE_WRITE && !x->is_free && !y->is_free;
    if (!one_line || !one_variable || !plain || !is_innermost(a) || !is_innermost(b) ||
        !holds_nothing(r, x) || !holds_nothing(r, y) || !is_update(r, a, b, pool))
        return (struct shape){NULL, NULL};
    return (struct shape){"unlocked counter",
                          pool_format(pool,
                                      "line %" PRIu32
                                      " reads and writes the variable, and neither thread held a lock "
                                      "there: hold the same lock around it, or make it atomic.",
                                      a->frame->line)};
}

static struct shape double_checked(const struct live_race *r, const struct side *reads,
                                   const struct side *writes, struct pool *pool)
{
    const struct live_access *x = reads->access, *y = writes->access;
    if (!is_plain(x, WIRE_READ) || !is_plain(y, WIRE_WRITE) || !holds_nothing(r, x) ||
        !same_function(reads->frame, writes->frame))
        return (struct shape){NULL, NULL};
    for (size_t i = 0; i < r->sync_count; i++) {
        const struct live_sync *e = &r->sync[i];
        const struct live_frame *f;
        if (e->second != writes->second || e->after || e->kind != WIRE_LOCK || !e->acquires ||
            held_lock(y, e->object) == NULL || (f = in_same_call(e, writes)) == NULL ||
            reads->frame->line >= f->line || f->line >= writes->frame->line)
            continue;
        return (struct shape){
            "double-checked locking",
            pool_format(
                pool,
                "%s reads it without a lock at line %" PRIu32 ", and writes it at line %" PRIu32
                " under the one that it takes at line %" PRIu32
                ": make it atomic, written with release and read with acquire order, or use pthread_once, "
                "std::call_once or a static local variable.",
                reads->frame->function, reads->frame->line, writes->frame->line, f->line)};
    }
    return (struct shape){NULL, NULL};
}

static struct shape after_unlock(const struct live_race *r, const struct side *bare,
                                 const struct side *locked, struct pool *pool)
{
    if (!holds_nothing(r, bare->access))
        return (struct shape){NULL, NULL};
    for (size_t i = r->sync_count; i-- > 0;) {
        const struct live_sync *e = &r->sync[i];
        const struct live_lock *lock = held_lock(locked->access, e->object);
        const struct live_frame *f;
        if (e->second != bare->second || e->after || e->kind != WIRE_LOCK || !e->releases || lock == NULL ||
            (f = in_same_call(e, bare)) == NULL || f->line >= bare->frame->line)
            continue;
        return (struct shape){"used after unlock",
                              pool_format(pool,
                                          "the access at line %" PRIu32
                                          " comes after M%u, under which the other was made, was unlocked at "
                                          "line %" PRIu32
                                          " of the same call: unlock after it, or take a copy before.",
                                          bare->frame->line, lock->mutex->number, f->line)};
    }
    return (struct shape){NULL, NULL};
}

static struct shape publication(const struct live_race *r, struct pool *pool)
{
    for (size_t i = 0; i < r->sync_count; i++) {
        const struct live_sync *e = &r->sync[i];
        const struct live_sync *read =
            !e->second && e->after && e->kind == WIRE_ATOMIC ? sync_find(r, true, e) : NULL;
        if (read == NULL || !e->writes || (e->releases && read->acquires))
            continue;
        return (struct shape){
            "publication without release",
            pool_format(pool,
                        "%s atomic variable%s%s was written after the one access (%s) and read before the "
                        "other (%s): if "
                        "that is to publish the data, write it with release and read it with acquire order.",
                        e->name != NULL ? "the" : "an", e->name != NULL ? " " : "",
                        e->name != NULL ? e->name : "", sync_order_word(e), sync_order_word(read))};
    }
    return (struct shape){NULL, NULL};
}

static struct shape flag(const struct live_race *r, const struct side *reads, const struct side *writes,
                         struct pool *pool)
{
    const struct live_access *x = reads->access, *y = writes->access;
    const struct live_location *l = &r->location;
    if (!is_plain(x, WIRE_READ) || !is_plain(y, WIRE_WRITE) || l->place != LIVE_GLOBAL || l->name == NULL ||
        l->size > 4 || !holds_nothing(r, x))
        return (struct shape){NULL, NULL};
    const char *name = own_name(l->name), *loop = line_of(pool, reads);
    const char *condition = after_word(loop, "while");
    condition = condition != NULL ? condition : after_word(loop, "for");
    if (condition == NULL || after_word(condition, name) == NULL ||
        !assigns_constant(line_of(pool, writes), name))
        return (struct shape){NULL, NULL};
    return (struct shape){
        "plain flag",
        pool_format(pool,
                    "the loop at line %" PRIu32 " reads '%s', a plain variable that line %" PRIu32
                    " sets: make it atomic; with release and acquire order where what was written "
                    "before it is to be seen after the loop.",
                    reads->frame->line, name, writes->frame->line)};
}

static struct shape handler(const struct live_race *r, struct pool *pool)
{
    bool first = r->earlier.in_handler, second = r->current.in_handler;
    if (!first && !second)
        return (struct shape){NULL, NULL};
    return (struct shape){
        "signal handler",
        pool_format(
            pool,
            "%s ran in a signal handler, where no lock may be taken: make the variable atomic, or have the "
            "handler only wake a thread that does it (a pipe, sem_post, sigwait, signalfd).",
            first && second ? "both accesses"
            : first         ? "the earlier access"
                            : "the later access")};
}

static struct shape plain_pointer(const struct live_race *r, struct pool *pool)
{
    if (r->block_size == 0 || !holds_nothing(r, &r->current) || !holds_nothing(r, &r->earlier))
        return (struct shape){NULL, NULL};
    return (struct shape){
        "publication by plain pointer",
        pool_format(pool,
                    "when the pointer was read, it led to a block of %" PRIu64
                    " bytes that the thread which wrote it had allocated: if that is to publish "
                    "the block, make the pointer atomic, written with release and read with "
                    "acquire order.",
                    r->block_size)};
}

/* "M1 (account)" */
static const char *mutex_shown(const struct live_mutex *m, struct pool *pool)
{
    return m->name != NULL ? pool_format(pool, "M%u (%s)", m->number, m->name)
                           : pool_format(pool, "M%u", m->number);
}

/* Both held locks, none of them in common, or one that both held for reading. */
static struct shape wrong_lock(const struct live_race *r, struct pool *pool)
{
    const struct live_access *a = &r->earlier, *b = &r->current;
    if (!a->locks_known || a->locks_cut || b->locks_cut || a->lock_count == 0 || b->lock_count == 0 ||
        a->is_free || b->is_free || lock_in_common(r, false) != NULL || r->unseen.library != NULL)
        return (struct shape){NULL, NULL};
    const struct live_mutex *shared = lock_in_common(r, true);
    if (shared != NULL)
        return (struct shape){
            "locked for reading",
            pool_format(pool, "both held %s for reading, and %s: lock it for writing there.",
                        mutex_shown(shared, pool), both_write(r) ? "both write" : "one of them writes")};
    return (struct shape){"different locks",
                          pool_format(pool,
                                      "the one held %s and the other %s, and a lock orders only those who "
                                      "hold it: hold the same one around both.",
                                      mutex_shown(a->lock[0].mutex, pool),
                                      mutex_shown(b->lock[0].mutex, pool))};
}

/* One was made under a lock, the other under none. Which one it should be where several were held, nobody knows. */
static struct shape lock_not_taken(const struct live_race *r, const struct side *bare,
                                   const struct side *locked, struct pool *pool)
{
    const struct live_access *a = bare->access, *b = locked->access;
    if (!holds_nothing(r, a) || !b->locks_known || b->locks_cut || b->lock_count != 1 ||
        a->kind > WIRE_WRITE || b->kind > WIRE_WRITE)
        return (struct shape){NULL, NULL};
    const char *lock = mutex_shown(b->lock[0].mutex, pool),
               *place =
                   bare->frame != NULL ? pool_format(pool, ", at line %" PRIu32 ",", bare->frame->line) : "";
    return (struct shape){
        "lock not taken",
        pool_format(
            pool, "the %s access was made under %s, the %s one%s under no lock: hold M%u%s there, too.",
            bare->second ? "earlier" : "later", lock, bare->second ? "later" : "earlier", place,
            b->lock[0].mutex->number, b->lock[0].read && a->kind == WIRE_WRITE ? " for writing" : "")};
}

static const char *thread_shown(const struct live_thread *t, struct pool *pool)
{
    return t->id == 0 ? "the main thread" : pool_format(pool, "thread T%" PRIu64, t->id);
}

static struct shape freed(const struct live_race *r, struct pool *pool)
{
    bool first = r->earlier.is_free;
    const struct live_thread *frees = (first ? &r->earlier : &r->current)->thread,
                             *uses = (first ? &r->current : &r->earlier)->thread;
    if ((!first && !r->current.is_free) || frees == NULL || uses == NULL)
        return (struct shape){NULL, NULL};
    return (struct shape){
        "freed in use",
        pool_format(pool,
                    "%s frees the memory, and nothing%s tells it that %s is done with it: free it when that is "
                    "known (join the thread, or count those who use it).",
                    thread_shown(frees, pool), r->unseen.library != NULL ? " that is seen" : "",
                    thread_shown(uses, pool))};
}

/* What the thread allocated itself came to the other by some way, which is what lacks the order. */
static bool is_own_block(const struct live_location *l, const struct live_thread *t)
{
    return l->place == LIVE_HEAP && l->thread == t;
}

static struct shape missing_join(const struct live_race *r, struct pool *pool)
{
    const struct live_thread *first = r->earlier.thread, *second = r->current.thread;
    if (first == NULL || second == NULL || first->running || first->detached || first->joined ||
        first->id == 0 || first->creator != second->id || !(r->known & WIRE_KNOWN_SYNC) ||
        !holds_nothing(r, &r->earlier) || !holds_nothing(r, &r->current) ||
        is_own_block(&r->location, first) ||
        r->earlier.is_free) /* to wait for that would only make the use after it certain */
        return (struct shape){NULL, NULL};
    return (struct shape){"missing join",
                          pool_format(pool,
                                      "thread T%" PRIu64
                                      " has ended, and the thread that created it has not joined it: "
                                      "join it before the access.",
                                      first->id)};
}

struct shape shape_of_race(const struct live_race *r, struct pool *pool)
{
    struct side a = side_of(r, false), b = side_of(r, true);
    struct shape s = handler(r, pool); /* others would have it take a lock */
    s = s.name != NULL ? s : wrong_lock(r, pool);
    if (s.name == NULL && a.frame != NULL && b.frame != NULL) {
        s = counter(r, &a, &b, pool);
        s = s.name != NULL ? s : double_checked(r, &a, &b, pool);
        s = s.name != NULL ? s : double_checked(r, &b, &a, pool);
        s = s.name != NULL ? s : after_unlock(r, &a, &b, pool);
        s = s.name != NULL ? s : after_unlock(r, &b, &a, pool);
        s = s.name != NULL ? s : flag(r, &a, &b, pool);
        s = s.name != NULL ? s : flag(r, &b, &a, pool);
    }
    s = s.name != NULL ? s : plain_pointer(r, pool);
    s = s.name != NULL ? s : publication(r, pool);
    s = s.name != NULL ? s : missing_join(r, pool);
    s = s.name != NULL ? s : freed(r, pool);
    s = s.name != NULL ? s : lock_not_taken(r, &a, &b, pool);
    return s.name != NULL ? s : lock_not_taken(r, &b, &a, pool);
}
