#include "runtime/completeness.h"

#include "runtime/annotations.h"
#include "runtime/end.h"
#include "runtime/history.h"
#include "runtime/maps.h"

static const char *const unmodelled_name[] = {
#define X(name) #name,
    UNMODELLED(X) UNMODELLED_REQUESTS(X) UNMODELLED_SYSTEM_CALLS(X) UNMODELLED_PENDING(X)
#undef X
};

enum { NUMBERS = WIRE_MOST_BYTES / 8, ROOM_FOR_PATH = 4096 / 8 + 2 };

static union {
    struct wire_header header;
    uint64_t number[NUMBERS];
} message;
static size_t used;

static void put(uint64_t number)
{
    message.number[used++] = number;
}

static void put_text(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0')
        length++;
    put(length);
    char *to = (char *)&message.number[used];
    used += (length + 7) / 8;
    for (size_t i = 0; i < (length + 7) / 8 * 8; i++)
        to[i] = i < length ? text[i] : '\0';
}

/* Of threads that are still known. */
static void put_history(void)
{
    uint64_t threads = 0, entries = 0, ignored = 0;
    for (const struct thread *t = thread_first(); t != NULL; t = t->next) {
        ignored += t->ignored;
        uint64_t oldest = t->history != NULL ? history_window(t).oldest : 0;
        threads += oldest > 0;
        entries += oldest;
    }
    put(threads);
    put(entries);
    put(ignored);
    put(annotations_benign_count());
}

static void put_unmodelled(void)
{
    size_t count_at = used;
    put(0);
    for (size_t i = 0; i < UNMODELLED_COUNT; i++)
        if (load_relaxed(&unmodelled_called[i])) {
            put_text(unmodelled_name[i]);
            message.number[count_at]++;
        }
}

static bool put_image(void *context, const struct image *image)
{
    uint64_t *count = context;
    if (NUMBERS - used < ROOM_FOR_PATH)
        return false;
    put_text(image->path);
    ++*count;
    return true;
}

struct wire_header *completeness_pack(size_t *length)
{
    used = sizeof message.header / 8;
    put((uint64_t)(int64_t)(end_status >= 0 ? end_status & 0xff : -1));
    put_history();
    put_unmodelled();
    size_t count_at = used;
    put(0);
    maps_each_image(put_image, &message.number[count_at]);
    message.header.kind = WIRE_FINISH;
    *length = used * 8;
    return &message.header;
}
