#include "trace/tape_decode.h"

#include <string.h>

#include "trace/event.h"

static bool take_varint(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool take_bytes(const uint8_t **at, const uint8_t *end, uint64_t *value, size_t size)
{
    if ((size_t)(end - *at) < size)
        return false;
    *value = 0;
    memcpy(value, *at, size);
    *at += size;
    return true;
}

/* Twice how far it is, or, if that is negative, -2 times that less 1. */
static uint64_t distance(uint64_t value)
{
    return value >> 1 ^ -(value & 1);
}

/* --- the spine, places --- */

bool tape_is_sound(const struct tape_slot *s)
{
    if (s->thread >= TAPE_MOST_THREADS)
        return false;
    switch (s->op) {
    case TAPE_ACCESS:
        return tape_is_access(s->a, s->c) && s->b < TAPE_MOST_SITES;
    case TAPE_COMPARE:
        return tape_is_access(s->a, 1) && s->b < TAPE_MOST_SITES;
    case TAPE_CLEAR:
        return tape_is_memory(s->a, s->b);
    case TAPE_MOVE:
        return tape_is_memory(s->a, s->c) && tape_is_memory(s->b, s->c);
    case TAPE_SYNC:
        if (s->how == OP_FORK || s->how == OP_JOIN)
            return s->a < TAPE_MOST_THREADS;
        return s->how < OP_COUNT && (s->a < TAPE_MOST_POSTS || s->a == NO_TARGET);
    case TAPE_POST:
    case TAPE_LEARN:
    case TAPE_DROP:
        return s->a < TAPE_MOST_POSTS;
    case TAPE_STACK:
        return s->a < TAPE_MOST_NODES && s->b <= TAPE_MOST_FRAMES;
    case TAPE_SITE:
        return s->a < TAPE_MOST_SITES && s->c >> 8 < TAPE_MOST_NODES;
    case TAPE_LOCK:
        return tape_is_access(s->a, 1) && s->b < TAPE_MOST_POSTS;
    case TAPE_TAKE:
        return s->a < TAPE_MOST_POSTS && s->b < TAPE_MOST_SITES;
    case TAPE_GIVE:
        return s->a < TAPE_MOST_POSTS && s->b < TAPE_MOST_POSTS;
    case TAPE_GIVE_LAST:
    case TAPE_TURN:
        return true;
    default:
        return false;
    }
}

bool tape_decode(struct tape_records *r, struct tape_slot *slot)
{
    uint64_t field[3] = {0}, thread = 0;
    *slot = (struct tape_slot){0};
    if (r->end == r->at)
        return false;
    slot->op = *r->at & ((1 << TAPE_HOW_SHIFT) - 1);
    slot->how = *r->at++ >> TAPE_HOW_SHIFT;
    if (slot->op >= TAPE_OPS)
        return false;
    if (tape_fields[slot->op].thread &&
        (!take_varint(&r->at, r->end, &thread) || thread >= TAPE_MOST_THREADS))
        return false;
    for (unsigned i = 0; i < tape_fields[slot->op].count; i++)
        if (!take_varint(&r->at, r->end, &field[i]))
            return false;
    if (tape_fields[slot->op].near)
        field[0] = r->last = r->last + distance(field[0]);
    slot->thread = (uint32_t)thread;
    slot->a = field[0];
    slot->b = field[1];
    slot->c = field[2];
    if (!tape_is_sound(slot))
        return false;
    if (slot->op != TAPE_STACK)
        return true;
    slot->frames = r->at;
    r->at += min_size(slot->b * sizeof(uint64_t), (size_t)(r->end - r->at));
    return (size_t)(r->at - slot->frames) == slot->b * sizeof(uint64_t);
}

/* --- accesses --- */

void tape_cursor_start(struct tape_cursor *c, const uint8_t *bytes, size_t size, uint64_t mark)
{
    memset(c->entry, 0, sizeof c->entry);
    tape_cursor_go_on(c, bytes, size);
    c->mark = mark;
    c->previous = 0;
    c->last = c->range = 0;
}

void tape_cursor_go_on(struct tape_cursor *c, const uint8_t *bytes, size_t size)
{
    c->at = bytes;
    c->end = bytes + size;
}

static int64_t sign_extended(uint64_t value, size_t bytes)
{
    unsigned unused = 64 - 8 * (unsigned)bytes;
    return (int64_t)(value << unused) >> unused;
}

static bool take_lock(struct tape_cursor *c, struct tape_touch *t)
{
    *t = (struct tape_touch){0};
    return take_varint(&c->at, c->end, &t->lock) && t->lock < TAPE_MOST_POSTS;
}

static bool take_site(struct tape_cursor *c, struct tape_touch *t)
{
    uint64_t site;
    bool good = take_varint(&c->at, c->end, &site) && site < TAPE_MOST_SITES;
    t->site = good ? (uint32_t)site : 0;
    return good;
}

static enum tape_item special(struct tape_cursor *c, unsigned which, struct tape_touch *t)
{
    uint64_t value;
    if (which == TAPE_MARK) {
        bool good = take_varint(&c->at, c->end, &value);
        c->mark += value;
        return good ? TAPE_ITEM_MARK : TAPE_ITEM_BAD;
    }
    if (which == TAPE_GIVE_LOCK)
        return take_lock(c, t) ? TAPE_ITEM_GIVE : TAPE_ITEM_BAD;
    *t = (struct tape_touch){.count = 1};
    if (which > TAPE_ROW || !take_bytes(&c->at, c->end, &value, 4) ||
        !take_bytes(&c->at, c->end, &t->address, 8) || !take_bytes(&c->at, c->end, &t->size, 8) ||
        !take_bytes(&c->at, c->end, &t->stride, 8) || !take_bytes(&c->at, c->end, &t->count, 8) ||
        value >= TAPE_MOST_SITES || !tape_is_row(t->address, t->size, (int64_t)t->stride, t->count))
        return TAPE_ITEM_BAD;
    t->site = (uint32_t)value;
    if (t->stride == 0)
        t->count = 1; /* the others are the same */
    return TAPE_ITEM_ROW;
}

static enum tape_item range(struct tape_cursor *c, struct tape_touch *t)
{
    uint64_t far;
    *t = (struct tape_touch){.count = 1};
    if (!take_site(c, t) || !take_varint(&c->at, c->end, &far) || !take_varint(&c->at, c->end, &t->size))
        return TAPE_ITEM_BAD;
    t->address = c->range += distance(far);
    return TAPE_ITEM_ACCESS;
}

/* A turn is the first at least: before it the lock was given up once. */
static bool take_turn(struct tape_cursor *c, struct tape_touch *t)
{
    return take_varint(&c->at, c->end, &t->turn) && t->turn > 0;
}

/* enum tape_short, or a mark of so many. */
static enum tape_item short_special(struct tape_cursor *c, unsigned which, struct tape_touch *t)
{
    switch (which) {
    case TAPE_RANGE:
        return range(c, t);
    case TAPE_TAKE_AGAIN:
        return take_lock(c, t) && take_site(c, t) ? TAPE_ITEM_TAKE : TAPE_ITEM_BAD;
    case TAPE_TAKE_TURN:
        return take_lock(c, t) && take_site(c, t) && take_turn(c, t) ? TAPE_ITEM_TAKE : TAPE_ITEM_BAD;
    case TAPE_GIVE_TAKEN:
        *t = (struct tape_touch){.lock = UINT64_MAX};
        return TAPE_ITEM_GIVE;
    default:
        c->mark += which;
        return TAPE_ITEM_MARK;
    }
}

static void step_to(uint64_t *last, int32_t *stride, uint64_t address)
{
    *stride = tape_fits((int64_t)(address - *last));
    *last = address;
}

enum tape_item tape_cursor_next(struct tape_cursor *c, struct tape_touch *t)
{
    uint64_t head, value;
    if (c->at == c->end)
        return TAPE_ITEM_END;
    unsigned form = *c->at & TAPE_FORM, entry = c->entry[c->previous].follower;
    if (*c->at & TAPE_FOLLOWS) {
        unsigned rest = *c->at++ >> TAPE_ENTRY_SHIFT;
        if (form == TAPE_SPECIAL)
            return short_special(c, rest, t);
    } else {
        if (!take_bytes(&c->at, c->end, &head, 2) || head >> TAPE_ENTRY_SHIFT >= TAPE_ENTRIES)
            return TAPE_ITEM_BAD;
        entry = (unsigned)head >> TAPE_ENTRY_SHIFT;
    }
    if (form == TAPE_SPECIAL)
        return special(c, entry, t);
    __typeof__(c->entry[0]) *e = &c->entry[entry];
    c->entry[c->previous].follower = entry;
    c->previous = entry;
    if (form == TAPE_NEW) {
        if (!take_bytes(&c->at, c->end, &value, 4) || value == 0 || value >= TAPE_MOST_SITES ||
            !take_bytes(&c->at, c->end, &e->last, 6))
            return TAPE_ITEM_BAD;
        e->site = (uint32_t)value;
        e->stride = 0;
        e->follower = 0;
    } else if (form == TAPE_AGAIN) {
        e->last += (uint64_t)(int64_t)e->stride;
    } else if (form == TAPE_WITH) {
        step_to(&e->last, &e->stride, c->last + (uint64_t)(int64_t)e->offset);
    } else {
        size_t bytes = form == TAPE_BY_6 ? 6 : form;
        if (!take_bytes(&c->at, c->end, &value, bytes))
            return TAPE_ITEM_BAD;
        step_to(&e->last, &e->stride, e->last + (uint64_t)sign_extended(value, bytes));
    }
    e->offset = tape_fits((int64_t)(e->last - c->last));
    c->last = e->last;
    *t = (struct tape_touch){.site = e->site, .address = e->last, .count = 1};
    return e->site != 0 ? TAPE_ITEM_ACCESS : TAPE_ITEM_BAD;
}
