/* Sync objects: mutexes, condition variables, atomic variables ... by the address they live at.
 *
 * They hang on the record of that address's shadow word (shadow/record.h), so that finding one is as cheap as
 * finding the shadow, and freeing the memory forgets them. The record's lock protects them.
 */
#pragma once

#include "runtime/thread.h"

/* Where a lock was last locked. */
struct lock_use {
    uint32_t epoch, node; /* node: runtime/stack.h */
    uintptr_t pc;
};

/* What changes with every use of a lock lies together, and so does what an atomic variable needs. */
struct sync {
    struct mailbox released; /* by lock holders, or whoever publishes */
    struct mailbox readers;  /* by those who held it for reading */
    struct lock_use used;    /* runtime/intercept/lock.c */
    struct mailbox stored;   /* by the release sequence that an atomic variable's value belongs to */
    struct sync *next;       /* of another byte of the word: a lock or a variable may be as small as that */
    uint32_t byte;           /* address mod 4 */
    uint32_t created;        /* stack of whoever made the lock, or used it first; 0: unknown */
    void *own;               /* what the kind of object needs besides clocks (intercept/barrier.c) */
};

/* None of these does anything while an annotation asks to ignore synchronization of the thread. */

/* t learns what was released into the object at this address. */
HIDDEN void sync_acquire(struct thread *t, uintptr_t address);
/* The same, and what readers released. */
HIDDEN void sync_acquire_exclusive(struct thread *t, uintptr_t address);
/* The same, and what was released with the value of an atomic variable there. */
HIDDEN void sync_acquire_all(struct thread *t, uintptr_t address);

/* What t knows replaces what was released: for locks, whose holder has acquired that. */
HIDDEN void sync_release(struct thread *t, uintptr_t address);
/* What t knows joins what was released. */
HIDDEN void sync_publish(struct thread *t, uintptr_t address);
HIDDEN void sync_publish_reader(struct thread *t, uintptr_t address);

/* The same with a mailbox that is the caller's own, and the caller's to protect. */
HIDDEN void sync_publish_into(struct thread *t, struct mailbox *mailbox);
HIDDEN void sync_acquire_from(struct thread *t, const struct mailbox *mailbox);
HIDDEN void sync_forget(struct mailbox *mailbox);

/* The object is destroyed: the next one at this address has nothing to do with it. */
HIDDEN void sync_destroy(uintptr_t address);

/* A lock was made here, with this stack: for reports. The generic host (runtime/host/) does not keep it. */
__attribute__((weak)) HIDDEN void sync_created(struct thread *t, uintptr_t address, uint32_t node);

/* Something else that the object is about; returns what was attached before. Stays until the memory is forgotten. */
HIDDEN void *sync_attach(struct thread *t, uintptr_t address, void *own);
HIDDEN void *sync_attached(struct thread *t, uintptr_t address);

/* With the record's lock held: the sync object at the address, or NULL; and the same, made if there is none. */
hot_inline struct sync *sync_find(const struct record *record, uintptr_t address)
{
    struct sync *s = record->sync;
    while (unlikely(s != NULL && s->byte != (address & 3)))
        s = s->next;
    return s;
}
HIDDEN struct sync *sync_make(struct record *record, uintptr_t address);
hot_inline struct sync *sync_of(struct record *record, uintptr_t address)
{
    struct sync *s = sync_find(record, address);
    return likely(s != NULL) ? s : sync_make(record, address);
}

HIDDEN void sync_grow(struct mailbox *mailbox, uint32_t slots);
hot_inline void sync_make_room(struct mailbox *mailbox, uint32_t slots)
{
    if (unlikely(mailbox->capacity < slots))
        sync_grow(mailbox, slots);
}

/* Room for an entry of every slot that there may be; what is new is 0. */
HIDDEN void sync_make_whole(struct mailbox *mailbox);
/* Nothing was released, and there is no room. */
HIDDEN void sync_give_clock(struct mailbox *mailbox);

/* --- sweeping (runtime/slots.c), while the world is stopped --- */

/* The record that the list belongs to is given back. */
HIDDEN void sync_lost(struct sync *list);
/* Those from which nobody can learn anything any more. */
HIDDEN void sync_drop_unused(struct sync **list, const uint32_t *known, const uint32_t *kept);
/* How much memory there is in sync objects and their clocks. */
HIDDEN size_t sync_bytes(void);
