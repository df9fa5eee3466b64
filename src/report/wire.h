/* What the runtime inside a program tells the process that writes its reports, and what it is answered.
 *
 * One message is one packet of a Unix SEQPACKET socket: a header, then 8-byte numbers. Who reads checks every
 * count against the packet's length: what arrives was written by a program with bugs.
 *
 *   number   8 bytes, little-endian
 *   text     number of bytes, the bytes, padded with zeros to a multiple of 8
 *   list     number of elements, the elements
 *   stack    flags (WIRE_STACK_*), list of return addresses from the innermost call outwards; those below
 *            WIRE_MARKS are no addresses but marks (enum wire_mark)
 *
 *   HELLO    nothing: a runtime has started in this process
 *   SETTINGS text: struct options; text: default suppressions; text: path of the executable
 *   RACE     current access, earlier access, location, block, list of threads, flags (WIRE_KNOWN_*), lists
 *            of syncs, of mutexes, of modules
 *   FINISH   the process is about to end. The program's own exit status (-1: not known); how many
 *            threads' histories were overwritten, and by how many entries; how many regions, and ranges of
 *            memory, the program has asked to ignore; list of texts: functions that were called and are
 *            not modelled; list of texts: paths of the modules it consists of
 *   TAPE     number 0: the recorder wants a tape (trace/tape.h), for each process, and for each program that
 * it becomes. WIRE_TAPE_MODULES: it has new modules (they are in /proc/PID/maps)
 *
 *   access   kind, flags (WIRE_ACCESS_*), size (0: not known any more), address, thread id, stack, list of
 *            locks: address, mode;
 *            of an access whose stack is lost: the last lock that its thread had given up by then, and the
 *            stack of that
 *   location kind (enum wire_location), address of the block (of the first racing byte where it is in
 *            none; of a file descriptor its number), its size, thread id and stack of the allocation, thread id and stack of the free; of
 *            other memory where its mapping begins and ends, and text: of which file it is
 *   block    address and size of the heap block to which the racing bytes lead, if the current access reads
 *            them as a pointer, and the earlier one's thread, which wrote it, has allocated the block; 0 and
 * 0 otherwise thread   id, kernel id, flags (WIRE_THREAD_*), creator's id, text: name, stack of its creation
 *   sync     what one of the two threads did that orders threads: flags (WIRE_SYNC_*), kind (enum
 *            wire_sync), address of the object (of a thread: its id), stack. Those of the earlier access'
 *            thread come first; of each, the oldest
 *   mutex    address, stack of its creation
 *   module   where its image begins and ends, where its executable pages begin, their offset in the file,
 *            flags (WIRE_MODULE_*), text: path. First those with addresses of the race, then the others, as far as
 *            there is room
 *
 * RACE and FINISH may come with a descriptor to write text to; a VERDICT answers them (struct
 * wire_verdict), and TAPE: `counts` says whether there is a tape, and with number 0 comes a descriptor of its
 * memory.
 */
#pragma once

#include "base/base.h"

enum {
    WIRE_MAGIC = 0x50463037, /* "PF07": changes with the format */
    WIRE_MOST_BYTES = 128 << 10,
    WIRE_MOST_FRAMES = 256,
    WIRE_MOST_LOCKS = 64,
    WIRE_MOST_SYNC = 16,
};

/* The abstract name of the socket that `photofinish run` listens at. A name, not an inherited descriptor:
 * much that starts programs closes all descriptors first. Each process connects for itself. */
#define WIRE_VARIABLE "PHOTOFINISH_CHANNEL"

enum wire_kind {
    WIRE_HELLO = 1,
    WIRE_SETTINGS,
    WIRE_RACE,
    WIRE_FINISH,
    WIRE_VERDICT,
    WIRE_TAPE,
    WIRE_REFUSED, /* in the place of HELLO: the process cannot be checked, and ends with one line */
    WIRE_UNSEEN   /* threads ran instrumented code that nobody was seen to create: not all was checked */
};

enum {
    WIRE_STACK_KNOWN = 1,
    WIRE_STACK_CUT = 2, /* there were more frames */
    WIRE_ACCESS_FREE = 1,
    WIRE_ACCESS_LOCKS_KNOWN = 2,
    WIRE_ACCESS_WAY = 2,        /* of a free: flags >> this & 3 is enum wire_way */
    WIRE_ACCESS_HANDLER = 16,   /* made in a signal handler of the program */
    WIRE_ACCESS_LOCKS_CUT = 32, /* more locks were held than are listed */
    WIRE_THREAD_RUNNING = 1,
    WIRE_THREAD_DETACHED = 2,
    WIRE_THREAD_JOINED = 4,
    WIRE_LOCK_READ = 1,   /* mode of a lock: held for reading */
    WIRE_MODULE_SEEN = 1, /* it is instrumented, or the C++ library: how it synchronizes is seen */
};

/* Between the calls of a function that libc called, and the stack of its registration. */
enum wire_mark { WIRE_MARK_EXIT = 1, WIRE_MARK_QUICK_EXIT, WIRE_MARK_KEY, WIRE_MARKS };

/* What is known besides the list of syncs. */
enum {
    WIRE_KNOWN_SYNC = 1,            /* anything: the rest, and the list, mean something */
    WIRE_KNOWN_NO_RELEASE = 2,      /* the first thread has released nothing since its access */
    WIRE_KNOWN_NOTHING_REACHED = 4, /* the second knew nothing of the first */
    WIRE_KNOWN_ALL_LOCKS = 8,       /* a lock that is not in the list was never taken by the second */
    WIRE_KNOWN_ALL_OTHERS = 16      /* likewise with other objects */
};

enum {
    WIRE_SYNC_ACQUIRES = 1,
    WIRE_SYNC_RELEASES = 2, /* neither: a relaxed operation on an atomic variable */
    WIRE_SYNC_WRITES = 4,   /* of those: not just a load */
    WIRE_SYNC_SHARED = 8,   /* a lock, for reading */
    WIRE_SYNC_SECOND = 16,  /* by the thread of the current access */
    WIRE_SYNC_AFTER = 32,   /* after its thread's access */
    WIRE_SYNC_REACHED = 64, /* the other thread knew of it */
};

enum wire_sync {
    WIRE_LOCK,
    WIRE_ATOMIC,
    WIRE_SEMAPHORE,
    WIRE_BARRIER,
    WIRE_ONCE,
    WIRE_KERNEL, /* a descriptor, a signal ... */
    WIRE_THREAD, /* was created or joined */
    WIRE_FENCE,
    WIRE_ANNOTATED
};

#define WIRE_NO_THREAD    UINT64_MAX
#define WIRE_TAPE_MODULES UINT64_MAX

enum wire_access_kind { WIRE_READ, WIRE_WRITE, WIRE_ATOMIC_READ, WIRE_ATOMIC_WRITE };

enum wire_way { WIRE_FREE, WIRE_REALLOC, WIRE_DELETE, WIRE_DELETE_ARRAY };

enum wire_location { WIRE_OTHER_MEMORY, WIRE_HEAP, WIRE_FREED_HEAP, WIRE_STACK, WIRE_TLS, WIRE_DESCRIPTOR };

struct wire_header {
    uint32_t magic, kind, length, pid; /* length: of the whole message */
};

struct wire_verdict {
    struct wire_header header;
    uint32_t counts;    /* this race was reported: not suppressed */
    uint32_t reported;  /* by this process so far */
    uint32_t exit_code; /* when any was reported; 0: leave the program's */
    uint32_t
        failed; /* reports could not be written where log_path says: the process ends with EXIT_TOOL_FAILED */
};

_Static_assert(sizeof(struct wire_header) == 16, "");
_Static_assert(sizeof(struct wire_verdict) == 32, "");
