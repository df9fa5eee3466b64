/* What threads have released: posts, and sets of them.
 *
 * A post is what one thread knew at one moment; nothing is ever added to it. A sync object, a fence, what
 * relaxed loads have seen are sets of posts: whoever acquires one learns all that are in it. So
 *
 *   S := C    is the set with one new post            S := S ⊔ C   a new post added
 *   S := F    the posts of F                          S := S ⊔ L   those of L added
 *   forget    the empty set
 *
 * For the detector a post is a barrier round with one arrival (bin) whose departures (bout) are the acquires;
 * when it is in no set any more, its round is dropped and used again.
 *
 * Sets stay small: a post makes those superfluous that its thread has made before, and those that it had
 * learned. At most one a thread is left.
 *
 * A set lies in a struct mailbox: `clock` has the ids of its posts, `length` says how many. All under the
 * host's lock (host/events.h).
 */
#pragma once

#include "runtime/host/events.h"

/* The thread publishes what it knows: the set has that and nothing else, or that as well. */
HIDDEN void posts_replace(struct mailbox *set, struct host_thread *h);
HIDDEN void posts_publish(struct mailbox *set, struct host_thread *h);
/* The same where all that the set has is one post that the thread knows and no other set has: its place, and
 * id, are taken, and nobody is told. False: it is not so. */
HIDDEN bool posts_renew(struct mailbox *set, struct host_thread *h, uint32_t *id);

/* The number of the thread's next post: each has what all before it have. Without the lock, too. */
hot_inline uint64_t posts_next(struct host_thread *h)
{
    return add_relaxed(&h->posts, 1) + 1;
}

/* Is the post in one set only? And whose it is. */
HIDDEN bool posts_sole(uint32_t id, uint32_t *by);
/* Somebody has taken its place and id, as posts_renew does, with a post of this number. */
HIDDEN void posts_moved(uint32_t id, uint32_t by, uint64_t when);

HIDDEN void posts_learn(const struct mailbox *set, struct host_thread *h);

HIDDEN void posts_join(struct mailbox *into, const struct mailbox *from);
HIDDEN void posts_forget(struct mailbox *set);
HIDDEN void posts_free(struct mailbox *set); /* and its memory */
